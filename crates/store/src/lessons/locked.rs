//! Locks what the plans of new situations refer to, and decides under these locks which lesson each of them gets.
//!
//! The order of locks is: states of runs, texts, `memory_stat`, everything else. The texts and the rows of one transaction are
//! locked by one statement each, in ascending order.

use std::collections::HashMap;

use reflect_rules::lessons::{AdviceKey, AdviceText, Joined, Placement, SameBy, advice_key};
use reflect_types::{LessonId, MemoryId, MemoryStatus, ReviewId, Trust};

use super::NewMemoryRow;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// What was decided about new situations, by their ids.
#[derive(Debug, Default)]
pub(crate) struct LockedPlans {
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
}

impl LockedPlans {
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
        return Ok(resolve(&new, &copies, HashMap::new()));
    }
    wanted.extend(linked);
    let rows: Vec<LockedRow> = sqlx::query_as(include_str!("../../sql/lessons/lock.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(wanted)
        .fetch_all(&mut **transaction)
        .await?;
    Ok(resolve(&new, &copies, rows.into_iter().map(|row| (row.memory_id, row)).collect()))
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

/// Decides the lesson of each new situation from the locked rows.
fn resolve(
    new: &[&NewMemoryRow],
    copies: &HashMap<AdviceKey, MemoryId>,
    mut rows: HashMap<MemoryId, LockedRow>,
) -> LockedPlans {
    let mut plans = LockedPlans::default();
    let mut texts: HashMap<AdviceKey, MemoryId> = HashMap::new();
    for memory in new {
        let key = text_key(memory);
        let by_text = key.and_then(|key| texts.get(&key).or(copies.get(&key)).copied());
        let own = Placed { lesson: Some(memory.memory_id.into()), ..Placed::default() };
        let placed = match (memory.lesson.placement, by_text) {
            (Placement::Apart, _) => Placed::default(),
            (Placement::Own, None) => own,
            (Placement::Own, Some(situation)) => {
                join(&plans, &mut rows, situation, SameBy::Text).unwrap_or(own)
            }
            (Placement::Join(Joined { situation, by, .. }), _) => {
                join(&plans, &mut rows, situation, by).unwrap_or(own)
            }
            (Placement::Absorb(Joined { situation, by, .. }), _) => {
                let joined = join(&plans, &mut rows, situation, by);
                joined.map_or(own, |joined| Placed { absorbed_into: Some(situation), ..joined })
            }
        };
        if let Some(key) = key {
            texts.entry(key).or_insert(memory.memory_id);
        }
        plans.placed.insert(memory.memory_id, placed);
    }
    plans
}

/// The lesson of the situation that is joined: a new one of this transaction, or a stored one that is active and trusted.
fn join(
    plans: &LockedPlans,
    rows: &mut HashMap<MemoryId, LockedRow>,
    situation: MemoryId,
    by: SameBy,
) -> Option<Placed> {
    if let Some(new) = plans.placed.get(&situation) {
        return Some(Placed { lesson: Some(new.lesson?), by: Some(by), ..Placed::default() });
    }
    let row = rows.get_mut(&situation)?;
    if row.status != MemoryStatus::Active.code() || row.untrusted {
        return None;
    }
    let founder = row.lesson_id.is_none().then_some(situation);
    let lesson = *row.lesson_id.get_or_insert(situation.into());
    Some(Placed { lesson: Some(lesson), by: Some(by), founder, absorbed_into: None })
}
