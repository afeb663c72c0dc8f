//! Selections of memories: by id, state, values and source.

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, LessonId, MemoryId, MemoryOrigin, MemorySort, MemoryStatus, Ranking, TraceId};

use super::MemoryStore;
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::memory_changes::MemoryState;

/// A selection of memories. `None` is no condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemorySelector {
    /// These.
    pub ids: Option<Vec<MemoryId>>,
    /// With one of these statuses.
    pub status: Option<Vec<MemoryStatus>>,
    /// Written by one of these.
    pub origin: Option<Vec<MemoryOrigin>>,
    /// Pinned, or not.
    pub pinned: Option<bool>,
    /// With a utility below this, under the ranking of the order.
    pub utility_below: Option<f64>,
    /// With a utility above this, under the ranking of the order.
    pub utility_above: Option<f64>,
    /// With a credit below this.
    pub credit_below: Option<f64>,
    /// With a credit above this.
    pub credit_above: Option<f64>,
    /// With at least this much evidence.
    pub evidence_at_least: Option<i32>,
    /// That came from this key.
    pub author_key: Option<KeyId>,
    /// That were learned from this run.
    pub source_trace: Option<TraceId>,
    /// Made then or later.
    pub created_after: Option<DateTime<Utc>>,
    /// Made before then.
    pub created_before: Option<DateTime<Utc>>,
    /// Whose task, own words or shown lesson contain this text, ignoring case.
    pub text: Option<String>,
    /// With the same lesson as this memory.
    pub same_lesson_as: Option<MemoryId>,
    /// Of this lesson.
    pub lesson: Option<LessonId>,
    /// Superseded, or not.
    pub superseded: Option<bool>,
}

/// Which memories of a lesson appear in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// All.
    All,
    /// The first of each status, and pinned ones.
    OncePerStatus,
    /// The first.
    Once,
}

/// The order of a list of memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryOrder {
    /// What comes first.
    pub sort: MemorySort,
    /// Which number is the utility of a memory, for the order and for the selection.
    pub ranking: Ranking,
}

impl MemoryStore<'_> {
    /// The ids of the selected memories after a cursor.
    pub async fn matching(
        &self,
        selection: &MemorySelector,
        order: MemoryOrder,
        after: Option<MemoryId>,
        limit: i64,
    ) -> Result<Vec<MemoryId>, StoreError> {
        page(self.db, selection, order, Repeats::All, after, limit).await
    }

    /// The states of memories, without locks.
    pub async fn states(&self, memories: &[MemoryId]) -> Result<Vec<MemoryState>, StoreError> {
        let mut transaction = self.db.read().await?;
        let states = sqlx::query_as(include_str!("../../sql/curation/states.sql"))
            .bind(self.db.project)
            .bind(memories);
        let states = states.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(states)
    }
}

/// The same as `matching`, with one memory of each lesson: the first in this order.
pub(crate) async fn lesson_page(
    db: &ProjectDb,
    selection: &MemorySelector,
    order: MemoryOrder,
    after: Option<MemoryId>,
    limit: i64,
) -> Result<Vec<MemoryId>, StoreError> {
    page(db, selection, order, Repeats::Once, after, limit).await
}

/// The same with some memories of each lesson.
pub(super) async fn page(
    db: &ProjectDb,
    selection: &MemorySelector,
    order: MemoryOrder,
    repeats: Repeats,
    after: Option<MemoryId>,
    limit: i64,
) -> Result<Vec<MemoryId>, StoreError> {
    let mut transaction = db.read().await?;
    let codes = |status: &Vec<MemoryStatus>| status.iter().map(|one| one.code()).collect::<Vec<_>>();
    let origins = |origin: &Vec<MemoryOrigin>| origin.iter().map(|one| one.code()).collect::<Vec<_>>();
    // Planned for its parameters every time: a plan for any order and any condition would read the whole project.
    let found = sqlx::query_scalar(include_str!("../../sql/curation/matching.sql"))
        .persistent(false)
        .bind(db.project)
        .bind(after)
        .bind(limit)
        .bind(order.sort.code())
        .bind(&selection.ids)
        .bind(selection.status.as_ref().map(codes))
        .bind(selection.origin.as_ref().map(origins))
        .bind(selection.pinned)
        .bind(selection.utility_below)
        .bind(selection.utility_above)
        .bind(selection.credit_below)
        .bind(selection.credit_above)
        .bind(selection.evidence_at_least)
        .bind(selection.author_key)
        .bind(selection.source_trace)
        .bind(selection.created_after)
        .bind(selection.created_before)
        .bind(&selection.text)
        .bind(order.ranking == Ranking::Learned)
        .bind(selection.same_lesson_as)
        .bind(repeats != Repeats::All)
        .bind(selection.lesson)
        .bind(selection.superseded)
        .bind(repeats == Repeats::Once)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(found)
}
