//! Lessons as input of a skill.

use reflect_types::{MemoryId, ReviewResult};

use super::MemoryStore;
use crate::error::StoreError;

/// The lesson of one memory.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MemoryLesson {
    /// The memory.
    pub memory_id: MemoryId,
    /// The memory whose words these are.
    pub speaker: MemoryId,
    /// The task it was learned from.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
}

impl MemoryStore<'_> {
    /// The most useful lessons of passed or of failed runs, best first.
    pub async fn lessons(&self, of: ReviewResult, most: i64) -> Result<Vec<MemoryLesson>, StoreError> {
        let mut transaction = self.db.read().await?;
        let lessons = sqlx::query_as(include_str!("../../sql/memories/lessons.sql"))
            .bind(self.db.project)
            .bind(of == ReviewResult::Pass)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(lessons)
    }
}
