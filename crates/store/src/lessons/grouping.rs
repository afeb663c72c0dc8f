//! Grouping of the memories that existed before lessons were grouped. A step of maintenance reads them in batches and stores which
//! lesson each of them belongs to, under one action per project.

use reflect_rules::lessons::AdviceKey;
use reflect_types::{GroupingState, LessonId, MemoryId};
use serde_json::json;
use uuid::Uuid;

use super::statistics::lock_statistics;
use crate::actions;
use crate::db::{ProjectDb, ProjectTx};
use crate::error::StoreError;
use crate::ids::{ActionId, SpaceId};
use crate::memory_changes::{Noted, insert_changes};

/// The kind of the action by which existing memories are grouped.
pub const LESSON_MIGRATE: &str = "lesson.migrate";
/// How many memories one statement counts.
const COUNTED: i64 = 10_000;

/// The grouping of the memories of a project that existed before lessons were grouped.
#[derive(Debug, Clone, Copy)]
pub struct GroupingStore<'a> {
    pub(super) db: &'a ProjectDb,
}

/// A memory that is not grouped, with its own words.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct UngroupedRow {
    /// The memory.
    pub memory_id: MemoryId,
    /// What should have been done.
    pub correct_action: String,
    /// The text of its lesson.
    pub reflection: String,
    /// Whether its source is not trusted.
    pub untrusted: bool,
    /// Whether it is in quarantine.
    pub quarantined: bool,
    /// Its vector, searched or parked, if it has one in the space.
    pub vector: Option<Vec<f32>>,
}

/// A memory and the lesson that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupedMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its lesson.
    pub lesson_id: LessonId,
    /// What it advises.
    pub advice: Option<AdviceKey>,
}

/// How far the grouping is after a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupingProgress {
    /// The last memory that was looked at.
    pub reached: MemoryId,
    /// How many memories were looked at since the batch before. Some of them may stay without a lesson.
    pub looked_at: i64,
    /// Whether no memory is left.
    pub is_last: bool,
}

impl GroupingStore<'_> {
    /// Sets the state of the grouping. `Waiting` starts it again from the first memory, under the same action unless that was
    /// undone. `Done` has no effect after `Reverted`.
    pub async fn set_state(&self, state: GroupingState) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let set = sqlx::query(include_str!("../../sql/lessons/set_grouping.sql")).bind(self.db.project);
        set.bind(state.code()).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// The next memories that are not grouped, oldest first, with their vectors in a space.
    pub async fn ungrouped(
        &self,
        space: Option<SpaceId>,
        most: i64,
    ) -> Result<Vec<UngroupedRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = sqlx::query_as(include_str!("../../sql/lessons/ungrouped.sql"))
            .bind(self.db.project)
            .bind(space)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// Starts the grouping, if it waits: counts the memories that are not grouped, in short statements.
    pub async fn begin(&self) -> Result<(), StoreError> {
        let (mut ungrouped, mut after) = (0, MemoryId::from_uuid(Uuid::nil()));
        loop {
            let mut transaction = self.db.read().await?;
            let page = sqlx::query_as(include_str!("../../sql/lessons/count_ungrouped.sql"))
                .bind(self.db.project)
                .bind(after)
                .bind(COUNTED);
            let (found, memories, last): (i64, i64, Option<MemoryId>) =
                page.fetch_one(&mut *transaction).await?;
            transaction.commit().await?;
            ungrouped += found;
            match last {
                Some(last) if memories == COUNTED => after = last,
                _ => break,
            }
        }
        let mut transaction = self.db.write().await?;
        let begun = sqlx::query(include_str!("../../sql/lessons/begin_grouping.sql")).bind(self.db.project);
        begun.bind(ungrouped).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// Groups a batch of memories, as part of one action of the server, and records how far the grouping is. Memories that were
    /// grouped in the meantime stay as they are.
    pub async fn group_batch(
        &self,
        batch: &[GroupedMemory],
        progress: GroupingProgress,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let known = lock_statistics(&mut transaction).await?;
        if !matches!(known.grouping, GroupingState::Waiting | GroupingState::Running) {
            return Err(StoreError::Conflict { what: "the grouping is not running" });
        }
        let action = action_of(&mut transaction, known.grouping_action).await?;
        let open: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/lessons/lock_ungrouped.sql"))
            .bind(self.db.project)
            .bind(batch.iter().map(|one| one.memory_id).collect::<Vec<_>>())
            .fetch_all(&mut *transaction)
            .await?;
        let grouped: Vec<&GroupedMemory> = batch.iter().filter(|one| open.contains(&one.memory_id)).collect();
        let noted: Vec<Noted> =
            grouped.iter().map(|one| Noted::lesson(one.memory_id, None, Some(one.lesson_id))).collect();
        insert_changes(&mut transaction, action, &noted).await?;
        sqlx::query(include_str!("../../sql/lessons/set_lessons.sql"))
            .bind(self.db.project)
            .bind(grouped.iter().map(|one| one.memory_id).collect::<Vec<_>>())
            .bind(grouped.iter().map(|one| one.lesson_id).collect::<Vec<_>>())
            .bind(grouped.iter().map(|one| one.advice.map(AdviceKey::as_uuid)).collect::<Vec<_>>())
            .execute(&mut *transaction)
            .await?;
        let state = if progress.is_last { GroupingState::Done } else { GroupingState::Running };
        sqlx::query(include_str!("../../sql/lessons/advance_grouping.sql"))
            .bind(self.db.project)
            .bind(state.code())
            .bind(progress.reached)
            .bind(action)
            .bind(progress.looked_at)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

/// The action of the grouping, locked. One that was undone must not grow, so another one begins.
async fn action_of(transaction: &mut ProjectTx, known: Option<ActionId>) -> Result<ActionId, StoreError> {
    if let Some(action) = known
        && !actions::lock(transaction, action).await?.is_undone
    {
        return Ok(action);
    }
    actions::begin_automatic(transaction, LESSON_MIGRATE, &json!({})).await
}
