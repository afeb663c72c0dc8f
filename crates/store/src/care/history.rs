//! The history of a memory: every review that moved it and everything that was done to it, in order, with what
//! each of them moved. Made by the same walk by which utilities are folded.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_types::{Credit, MemoryId, ReviewId, TraceId};
use serde_json::Value;

use super::change::{HALVED, POOLED, facet_name};
use crate::actions::ActionId;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::utility::{CareStep, Entry, MovedBy, PlacedStep, walk_credit, walk_utility};

/// A review that moved a memory, or did until it was withdrawn.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewNote {
    /// The review.
    pub review_id: ReviewId,
    /// The run it was about; none when that was deleted.
    pub trace_id: Option<TraceId>,
    /// Whether the run passed.
    pub passed: bool,
    /// Who reviewed.
    pub reviewer: Option<String>,
    /// Whether the run made use of the memory, when that is known.
    pub used: Option<bool>,
    /// How likely the run was to pass anyway, when that is known.
    pub expected: Option<f32>,
    /// Whether the review counts no more.
    pub withdrawn: bool,
}

/// Something that was done to a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct CareNote {
    /// The action.
    pub action_id: ActionId,
    /// What, in the word of the audit log.
    pub kind: String,
    /// Who.
    pub actor: String,
    /// What of the memory.
    pub facet: &'static str,
    /// What it was.
    pub before: Value,
    /// What it became.
    pub after: Value,
    /// Whether it was undone.
    pub undone: bool,
}

/// One step of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryStep {
    /// When.
    pub at: DateTime<Utc>,
    /// The utility before and after it. The same when it moved none.
    pub q: (f32, f32),
    /// The credit before and after it; none while a review has not moved it yet, and for what moves none.
    pub credit: Option<(Credit, Credit)>,
    /// The review, when it is one.
    pub review: Option<ReviewNote>,
    /// What was done, when it is that.
    pub care: Option<CareNote>,
}

/// What moved a memory and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Oldest first.
    pub steps: Vec<HistoryStep>,
    /// How many there were before these.
    pub left_off: usize,
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    #[sqlx(flatten)]
    entry: Entry,
    withdrawn: bool,
    created_at: DateTime<Utc>,
    review_id: ReviewId,
    trace_id: Option<TraceId>,
    reviewer: Option<String>,
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

impl ProjectCtx {
    /// The last steps of a memory's history, at most so many.
    pub async fn memory_history(&self, memory: MemoryId, most: usize) -> Result<History, StoreError> {
        self.stored_memory(memory).await?;
        let mut transaction = self.read().await?;
        let entries = sqlx::query_as(include_str!("../../sql/care/history.sql"));
        let entries: Vec<EntryRow> =
            entries.bind(self.project).bind(memory).fetch_all(&mut *transaction).await?;
        let notes = sqlx::query_as(include_str!("../../sql/care/notes.sql"));
        let notes: Vec<NoteRow> = notes.bind(self.project).bind(memory).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let mut steps = history(memory, entries, notes)?;
        let left_off = steps.len().saturating_sub(most);
        Ok(History { steps: steps.split_off(left_off), left_off })
    }
}

/// Where a step stands among the others.
type Place = (i64, i64);
/// Its number in its ledger, and whether that is the one of reviews.
type Key = (i64, bool);

/// Puts reviews and care in one order and walks through them.
fn history(
    memory: MemoryId,
    entries: Vec<EntryRow>,
    notes: Vec<NoteRow>,
) -> Result<Vec<HistoryStep>, StoreError> {
    let live: Vec<&Entry> = entries.iter().filter(|row| !row.withdrawn).map(|row| &row.entry).collect();
    let mut placed: Vec<PlacedStep> = Vec::new();
    for note in notes.iter().filter(|note| !note.undone) {
        let step = match note.facet {
            HALVED => CareStep::Halved,
            POOLED => CareStep::Pooled(
                serde_json::from_value(note.after.clone())
                    .map_err(|_| StoreError::Corrupt { what: "merge" })?,
            ),
            _ => continue,
        };
        let NoteRow { seq, entered, credited, .. } = *note;
        placed.push(PlacedStep { memory_id: memory, seq, entered, credited, step });
    }
    let placed: Vec<&PlacedStep> = placed.iter().collect();
    let key = |by: MovedBy| -> Key {
        match by {
            MovedBy::Entry(at) => (live[at].seq, true),
            MovedBy::Care(at) => (placed[at].seq, false),
        }
    };
    let (mut utilities, mut credits) = (HashMap::new(), HashMap::new());
    walk_utility(&live, &placed, |by, before, after| {
        utilities.insert(key(by), (before.utility.get(), after.utility.get()));
    });
    walk_credit(&live, &placed, |by, before, after| {
        credits.insert(key(by), (before, after));
    });
    let mut steps: Vec<(Place, Key, HistoryStep)> = Vec::new();
    for row in entries {
        let seq = row.entry.seq;
        steps.push(((seq, 0), (seq, true), review_step(row)));
    }
    for row in notes {
        let (entered, seq) = (row.entered, row.seq);
        steps.push(((entered, seq), (seq, false), care_step(row)));
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

fn review_step(row: EntryRow) -> HistoryStep {
    let review = ReviewNote {
        review_id: row.review_id,
        trace_id: row.trace_id,
        passed: row.entry.reward >= 0.5,
        reviewer: row.reviewer,
        used: row.entry.used,
        expected: row.entry.expected,
        withdrawn: row.withdrawn,
    };
    HistoryStep { at: row.created_at, q: (0.0, 0.0), credit: None, review: Some(review), care: None }
}

fn care_step(row: NoteRow) -> HistoryStep {
    let care = CareNote {
        action_id: row.action_id,
        kind: row.kind,
        actor: row.actor,
        facet: facet_name(row.facet),
        before: row.before,
        after: row.after,
        undone: row.undone,
    };
    HistoryStep { at: row.created_at, q: (0.0, 0.0), credit: None, review: None, care: Some(care) }
}
