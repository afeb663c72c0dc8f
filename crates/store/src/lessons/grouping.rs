//! Grouping of the memories that existed before lessons were grouped. A step of maintenance reads them in batches and stores which
//! lesson each of them belongs to, under one action per project.

use reflect_rules::lessons::AdviceKey;
use reflect_types::{GroupingState, LessonId, MemoryId};
use serde_json::json;

use super::LessonStore;
use super::statistics::lock_statistics;
use crate::actions;
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::memory_changes::{Noted, insert_changes};

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

impl LessonStore<'_> {
    /// Sets the state of the grouping. `Waiting` starts it again from the first memory.
    pub async fn set_grouping(&self, state: GroupingState) -> Result<(), StoreError> {
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

    /// How many memories the grouping has looked at, and how many there are.
    pub async fn grouping_progress(&self) -> Result<(i64, i64), StoreError> {
        let mut transaction = self.db.read().await?;
        let progress = sqlx::query_as(include_str!("../../sql/lessons/grouping_progress.sql"));
        let progress = progress.bind(self.db.project).fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(progress)
    }

    /// Groups a batch of memories, as part of one action of the server, and records that all memories up to `reached` were
    /// looked at. Memories that were grouped in the meantime stay as they are.
    pub async fn group_batch(
        &self,
        batch: &[GroupedMemory],
        reached: MemoryId,
        is_last: bool,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let known = lock_statistics(&mut transaction).await?;
        if !matches!(known.grouping, GroupingState::Waiting | GroupingState::Running) {
            return Err(StoreError::Conflict { what: "the grouping is not running" });
        }
        let open: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/lessons/lock_ungrouped.sql"))
            .bind(self.db.project)
            .bind(batch.iter().map(|one| one.memory_id).collect::<Vec<_>>())
            .fetch_all(&mut *transaction)
            .await?;
        let grouped: Vec<&GroupedMemory> = batch.iter().filter(|one| open.contains(&one.memory_id)).collect();
        let action = match known.grouping_action {
            Some(action) => action,
            None => actions::begin_automatic(&mut transaction, "lesson.migrate", &json!({})).await?,
        };
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
        let state = if is_last { GroupingState::Done } else { GroupingState::Running };
        sqlx::query(include_str!("../../sql/lessons/advance_grouping.sql"))
            .bind(self.db.project)
            .bind(state.code())
            .bind(reached)
            .bind(action)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}
