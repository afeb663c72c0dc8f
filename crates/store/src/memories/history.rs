//! The history of a memory: reviews and curation steps in order, with the utility and credit before and after each.
//! Computed by the same fold as the stored values.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_rules::credit::{LedgerEntry, PlacedStep, UtilityStanding};
use reflect_rules::fold::{FoldCheckpoint, MovedBy, replay};
use reflect_types::{Credit, MemoryId, ReviewId, TraceId, UseSource};
use serde_json::Value;

use super::MemoryStore;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::ledger::{LedgerRow, curation_step};
use crate::memory_changes::facet_name;

/// A review that moved a memory, withdrawn or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewNote {
    /// The review.
    pub review_id: ReviewId,
    /// The reviewed run. `None` if it was deleted.
    pub trace_id: Option<TraceId>,
    /// Whether the run passed.
    pub passed: bool,
    /// Who reviewed.
    pub reviewer: Option<String>,
    /// Whether the run used the memory, if that is known.
    pub used: Option<bool>,
    /// How that is known. `None` for reviews of earlier versions.
    pub used_by: Option<UseSource>,
    /// The expected result of the run, if that is known.
    pub expected: Option<f32>,
    /// Whether the review was withdrawn.
    pub withdrawn: bool,
}

/// A curation change of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct CurationNote {
    /// The action.
    pub action_id: ActionId,
    /// The kind of the action, as in the audit log.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// The facet.
    pub facet: &'static str,
    /// The value before.
    pub before: Value,
    /// The value after.
    pub after: Value,
    /// Whether it was undone.
    pub undone: bool,
}

/// One step of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHistoryStep {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The utility before and after the step. Equal if the step did not change it.
    pub q: (f32, f32),
    /// The credit before and after the step. `None` if the step did not change it, or not yet.
    pub credit: Option<(Credit, Credit)>,
    /// The review, if the step is a review.
    pub review: Option<ReviewNote>,
    /// The change, if the step is a curation change.
    pub curation: Option<CurationNote>,
}

/// The reviews and the curation changes of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryTimeline {
    /// Oldest first.
    pub steps: Vec<MemoryHistoryStep>,
    /// How many earlier steps are omitted.
    pub left_off: usize,
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    #[sqlx(flatten)]
    entry: LedgerRow,
    withdrawn: bool,
    created_at: DateTime<Utc>,
    review_id: ReviewId,
    trace_id: Option<TraceId>,
    reviewer: Option<String>,
    used_by: Option<i16>,
}

#[derive(sqlx::FromRow)]
struct NoteRow {
    seq: i64,
    facet: i16,
    before: Value,
    after: Value,
    entered: i64,
    credited: i32,
    undone: bool,
    created_at: DateTime<Utc>,
    action_id: ActionId,
    kind: String,
    actor: String,
}

impl MemoryStore<'_> {
    /// The last steps of a memory's history, at most `most`.
    pub async fn history(&self, memory: MemoryId, most: usize) -> Result<MemoryTimeline, StoreError> {
        self.get(memory).await?;
        let mut transaction = self.db.read().await?;
        let entries = sqlx::query_as(include_str!("../../sql/curation/history.sql"));
        let entries: Vec<EntryRow> =
            entries.bind(self.db.project).bind(memory).fetch_all(&mut *transaction).await?;
        let notes = sqlx::query_as(include_str!("../../sql/curation/notes.sql"));
        let notes: Vec<NoteRow> =
            notes.bind(self.db.project).bind(memory).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let mut steps = history(memory, entries, notes)?;
        let left_off = steps.len().saturating_sub(most);
        Ok(MemoryTimeline { steps: steps.split_off(left_off), left_off })
    }
}

/// The position of a step.
type Place = (i64, i64);
/// Its number in its ledger, and whether that is the ledger of reviews.
type Key = (i64, bool);

/// Merges reviews and curation steps in one order and replays them.
fn history(
    memory: MemoryId,
    entries: Vec<EntryRow>,
    notes: Vec<NoteRow>,
) -> Result<Vec<MemoryHistoryStep>, StoreError> {
    let live: Vec<&LedgerEntry> =
        entries.iter().filter(|row| !row.withdrawn).map(|row| &row.entry.0).collect();
    let mut placed: Vec<PlacedStep> = Vec::new();
    for note in notes.iter().filter(|note| !note.undone) {
        let Some(step) = curation_step(note.facet, note.after.clone())? else { continue };
        let NoteRow { seq, entered, credited, .. } = *note;
        placed.push(PlacedStep { memory_id: memory, seq, entered, credited, step });
    }
    let placed: Vec<&PlacedStep> = placed.iter().collect();
    let key = |by: MovedBy| -> Key {
        match by {
            MovedBy::Entry(at) => (live[at].seq, true),
            MovedBy::Curation(at) => (placed[at].seq, false),
        }
    };
    let (mut utilities, mut credits) = (HashMap::new(), HashMap::new());
    replay(FoldCheckpoint::START, &live, &placed, |by, before: UtilityStanding, after: UtilityStanding| {
        utilities.insert(key(by), (before.utility.get(), after.utility.get()));
    });
    replay(FoldCheckpoint::START, &live, &placed, |by, before: Credit, after: Credit| {
        credits.insert(key(by), (before, after));
    });
    let mut steps: Vec<(Place, Key, MemoryHistoryStep)> = Vec::new();
    for row in entries {
        let seq = row.entry.0.seq;
        steps.push(((seq, 0), (seq, true), review_history_step(row)));
    }
    for row in notes {
        let (entered, seq) = (row.entered, row.seq);
        steps.push(((entered, seq), (seq, false), curation_history_step(row)));
    }
    steps.sort_by_key(|(place, ..)| *place);
    let mut q = reflect_types::Utility::START.get();
    let filled = steps.into_iter().map(|(_, key, mut step)| {
        step.q = utilities.get(&key).copied().unwrap_or((q, q));
        step.credit = credits.get(&key).copied();
        q = step.q.1;
        step
    });
    Ok(filled.collect())
}

fn review_history_step(row: EntryRow) -> MemoryHistoryStep {
    let review = ReviewNote {
        review_id: row.review_id,
        trace_id: row.trace_id,
        passed: row.entry.0.reward >= 0.5,
        reviewer: row.reviewer,
        used: row.entry.0.used,
        used_by: row.used_by.and_then(UseSource::from_code),
        expected: row.entry.0.expected,
        withdrawn: row.withdrawn,
    };
    MemoryHistoryStep {
        at: row.created_at,
        q: (0.0, 0.0),
        credit: None,
        review: Some(review),
        curation: None,
    }
}

fn curation_history_step(row: NoteRow) -> MemoryHistoryStep {
    let curation = CurationNote {
        action_id: row.action_id,
        kind: row.kind,
        actor: row.actor,
        facet: facet_name(row.facet),
        before: row.before,
        after: row.after,
        undone: row.undone,
    };
    MemoryHistoryStep {
        at: row.created_at,
        q: (0.0, 0.0),
        credit: None,
        review: None,
        curation: Some(curation),
    }
}
