//! Locks what the plans of new situations refer to, and decides under these locks which lesson each of them gets. Each run is
//! decided when it is stored, because an earlier run of the same transaction may have superseded what it would join.
//!
//! The order of locks is: states of runs, texts, `memory_stat`, everything else. The texts and the rows of one transaction are
//! locked by one statement each, in ascending order.

use std::collections::HashMap;

use reflect_rules::lessons::{AdviceKey, AdviceText, Joined, MOST_ABSORBED, Placement, SameBy, advice_key};
use reflect_types::{LessonId, MemoryId, MemoryStatus, ReviewId, Trust};

use super::NewMemoryRow;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// What new situations may join, and what was decided about them, by their ids.
#[derive(Debug, Default)]
pub(crate) struct LockedPlans {
    /// The locked situations, as they are in this transaction.
    rows: HashMap<MemoryId, LockedRow>,
    /// Stored situations with the texts of new ones.
    copies: HashMap<AdviceKey, MemoryId>,
    /// The first new situation with each text.
    texts: HashMap<AdviceKey, MemoryId>,
    placed: HashMap<MemoryId, Placed>,
}

/// The lesson of a new situation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Placed {
    /// `None` if it is not grouped.
    pub(super) lesson: Option<LessonId>,
    /// How it is known that it belongs to a lesson of others.
    pub(super) by: Option<SameBy>,
    /// The situation that stands for it.
    pub(super) absorbed_into: Option<MemoryId>,
    /// A situation that was not grouped and founds the lesson now.
    pub(super) founder: Option<MemoryId>,
}

/// A locked situation.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct LockedRow {
    memory_id: MemoryId,
    status: i16,
    lesson_id: Option<LessonId>,
    untrusted: bool,
    absorbed: i32,
}

impl LockedPlans {
    /// Decides the lessons of the situations of a run. To be called before they are stored, once per run.
    pub(crate) fn place(&mut self, lesson: &NewMemoryRow) {
        for memory in situations(lesson) {
            let placed = self.decide(memory);
            if let Some(key) = text_key(memory) {
                self.texts.entry(key).or_insert(memory.memory_id);
            }
            self.placed.insert(memory.memory_id, placed);
        }
    }

    fn decide(&mut self, memory: &NewMemoryRow) -> Placed {
        let own = Placed { lesson: Some(memory.memory_id.into()), ..Placed::default() };
        match memory.lesson.placement {
            Placement::Apart => Placed::default(),
            Placement::Own => {
                let same = |key: AdviceKey| self.texts.get(&key).or(self.copies.get(&key)).copied();
                let same = text_key(memory).and_then(same);
                same.and_then(|situation| self.join(situation, SameBy::Text)).unwrap_or(own)
            }
            Placement::Join(Joined { situation, by, .. }) => self.join(situation, by).unwrap_or(own),
            Placement::Absorb(Joined { situation, by, .. }) => {
                let Some(joined) = self.join(situation, by) else { return own };
                Placed { absorbed_into: self.absorb(situation), ..joined }
            }
        }
    }

    /// Counts one more absorbed run. `None` if the situation absorbs no more: the run is then searched too.
    fn absorb(&mut self, situation: MemoryId) -> Option<MemoryId> {
        let row = self.rows.get_mut(&situation)?;
        if row.absorbed >= MOST_ABSORBED {
            return None;
        }
        row.absorbed += 1;
        Some(situation)
    }

    /// The lesson of the situation that is joined: a new one of this transaction, or a stored one that is active and trusted.
    fn join(&mut self, situation: MemoryId, by: SameBy) -> Option<Placed> {
        if let Some(new) = self.placed.get(&situation) {
            return Some(Placed { lesson: Some(new.lesson?), by: Some(by), ..Placed::default() });
        }
        let row = self.rows.get_mut(&situation)?;
        if row.status != MemoryStatus::Active.code() || row.untrusted {
            return None;
        }
        let founder = row.lesson_id.is_none().then_some(situation);
        let lesson = *row.lesson_id.get_or_insert(situation.into());
        Some(Placed { lesson: Some(lesson), by: Some(by), founder, absorbed_into: None })
    }

    /// Later runs of this transaction do not join situations that it superseded.
    pub(super) fn supersede(&mut self, memories: &[MemoryId]) {
        for memory in memories {
            if let Some(row) = self.rows.get_mut(memory) {
                row.status = MemoryStatus::Disabled.code();
            }
        }
    }

    /// What was decided about a situation. Without a plan it is not grouped.
    pub(super) fn of(&self, memory: MemoryId) -> Placed {
        self.placed.get(&memory).copied().unwrap_or_default()
    }

    /// The lesson of a new situation. `None` if it is not grouped.
    pub(crate) fn lesson_of(&self, memory: MemoryId) -> Option<LessonId> {
        self.of(memory).lesson
    }

    /// The same with every situation in the search. What a person wrote is not absorbed.
    #[must_use]
    pub(crate) fn without_absorption(mut self) -> Self {
        for placed in self.placed.values_mut() {
            placed.absorbed_into = None;
        }
        self
    }
}

/// Takes the locks of the plans of some lessons, and of further memories: those of a review that has no credit yet, and
/// `linked`.
pub(crate) async fn lock_plans(
    transaction: &mut ProjectTx,
    lessons: &[&NewMemoryRow],
    review: Option<ReviewId>,
    linked: &[MemoryId],
) -> Result<LockedPlans, StoreError> {
    let new: Vec<&NewMemoryRow> = lessons.iter().flat_map(|lesson| situations(lesson)).collect();
    if new.iter().all(|memory| is_plain(memory)) {
        return Ok(LockedPlans::default());
    }
    let copies = lock_texts(transaction, &new).await?;
    let mut wanted = targets(&new, &copies);
    if wanted.is_empty() {
        return Ok(LockedPlans { copies, ..LockedPlans::default() });
    }
    wanted.extend(linked);
    let rows: Vec<LockedRow> = sqlx::query_as(include_str!("../../sql/lessons/lock.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(wanted)
        .fetch_all(&mut **transaction)
        .await?;
    let rows = rows.into_iter().map(|row| (row.memory_id, row)).collect();
    Ok(LockedPlans { rows, copies, ..LockedPlans::default() })
}

/// The memories that the plan of a lesson locks, for a caller that locks others before. Locks the texts.
pub(crate) async fn lock_targets(
    transaction: &mut ProjectTx,
    lesson: &NewMemoryRow,
) -> Result<Vec<MemoryId>, StoreError> {
    let new: Vec<&NewMemoryRow> = situations(lesson).collect();
    let copies = lock_texts(transaction, &new).await?;
    Ok(targets(&new, &copies))
}

/// A lesson and the further situations of its run, in order.
pub(super) fn situations(lesson: &NewMemoryRow) -> impl Iterator<Item = &NewMemoryRow> {
    std::iter::once(lesson).chain(&lesson.lesson.steps)
}

/// Whether nothing has to be locked for a situation.
fn is_plain(memory: &NewMemoryRow) -> bool {
    memory.lesson.placement == Placement::Apart && memory.lesson.contradicting.is_empty()
}

/// The key of the text of a situation that founds a lesson and could join one with the same text.
fn text_key(memory: &NewMemoryRow) -> Option<AdviceKey> {
    let may_join =
        memory.lesson.placement == Placement::Own && memory.trust != Trust::Untrusted && !memory.quarantined;
    let text = AdviceText { correct_action: "", approach: &[], reflection: &memory.reflection };
    advice_key(&text).filter(|_| may_join)
}

/// Locks the texts of new lessons, so that no two lessons with one text arise at the same time. Returns stored situations with
/// these texts.
async fn lock_texts(
    transaction: &mut ProjectTx,
    new: &[&NewMemoryRow],
) -> Result<HashMap<AdviceKey, MemoryId>, StoreError> {
    let mut texts: Vec<(AdviceKey, &str)> =
        new.iter().filter_map(|memory| Some((text_key(memory)?, memory.reflection.as_str()))).collect();
    texts.sort_unstable();
    texts.dedup_by_key(|(key, _)| *key);
    if texts.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: Vec<_> = texts.iter().map(|(key, _)| key.as_uuid()).collect();
    let held = sqlx::query(include_str!("../../sql/lessons/lock_texts.sql")).bind(transaction.project);
    held.bind(&keys).execute(&mut **transaction).await?;
    let same: Vec<(uuid::Uuid, MemoryId)> = sqlx::query_as(include_str!("../../sql/lessons/same_text.sql"))
        .bind(transaction.project)
        .bind(&keys)
        .bind(texts.iter().map(|(_, text)| *text).collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    Ok(same.into_iter().map(|(key, memory)| (AdviceKey::from_uuid(key), memory)).collect())
}

/// The stored situations that new ones join, absorb into or contradict.
fn targets(new: &[&NewMemoryRow], copies: &HashMap<AdviceKey, MemoryId>) -> Vec<MemoryId> {
    let joined = new.iter().filter_map(|memory| Some(memory.lesson.placement.joined()?.situation));
    let contradicting = new.iter().flat_map(|memory| &memory.lesson.contradicting).map(|one| one.memory_id);
    joined.chain(contradicting).chain(copies.values().copied()).collect()
}
