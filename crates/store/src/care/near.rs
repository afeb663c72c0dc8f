//! The memories nearest to one: what it may be merged with.

use reflect_types::{Credit, MemoryId, MemoryStatus};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::{ProjectCtx, SearchBy};
use crate::spaces::SpaceId;

/// A memory near to another one.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMemory {
    /// Its id.
    pub memory_id: MemoryId,
    /// How similar the tasks are.
    pub similarity: f32,
    /// Its task.
    pub task: String,
    /// Its lesson.
    pub reflection: String,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Its utility.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
}

impl FromRow<'_, PgRow> for NearMemory {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            similarity: row.try_get("similarity")?,
            task: row.try_get("task")?,
            reflection: row.try_get("reflection")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
            q: row.try_get("q")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
        })
    }
}

impl ProjectCtx {
    /// The memories nearest to one in a space, nearest first; none when it has no vector there.
    pub async fn near_memories(
        &self,
        memory: MemoryId,
        space: SpaceId,
        most: i64,
    ) -> Result<Vec<NearMemory>, StoreError> {
        let mut transaction = self.search_transaction(SearchBy::Vector).await?;
        let near = sqlx::query_as(include_str!("../../sql/care/near.sql"))
            .bind(self.project)
            .bind(space)
            .bind(memory)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(near)
    }
}
