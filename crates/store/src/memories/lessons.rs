//! Lessons, as a skill is made of them.

use reflect_types::{MemoryId, ReviewResult};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// What one memory teaches.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Lesson {
    /// The memory.
    pub memory_id: MemoryId,
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

impl ProjectCtx {
    /// The most useful lessons of passed or of failed runs, best first.
    pub async fn lessons(&self, of: ReviewResult, most: i64) -> Result<Vec<Lesson>, StoreError> {
        let mut transaction = self.read().await?;
        let lessons = sqlx::query_as(include_str!("../../sql/memories/lessons.sql"))
            .bind(self.project)
            .bind(of == ReviewResult::Pass)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(lessons)
    }
}
