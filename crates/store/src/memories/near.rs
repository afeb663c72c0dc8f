//! The memories nearest to one, as candidates for a merge.

use reflect_types::{Credit, MemoryId, MemoryStatus};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::MemoryStore;
use crate::db::{SearchBy, coded};
use crate::error::StoreError;
use crate::ids::SpaceId;

/// A memory near another one.
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
    /// Its `q_value`.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
    /// Whether its source is not trusted.
    pub untrusted: bool,
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
            untrusted: row.try_get("untrusted")?,
        })
    }
}

impl MemoryStore<'_> {
    /// The memories nearest to one in a space, nearest first. Empty if it has no vector there.
    pub async fn near(
        &self,
        memory: MemoryId,
        space: SpaceId,
        most: i64,
    ) -> Result<Vec<NearMemory>, StoreError> {
        let (mut transaction, _turn) = self.db.search_transaction(SearchBy::Vector).await?;
        let near = sqlx::query_as(include_str!("../../sql/curation/near.sql"))
            .bind(self.db.project)
            .bind(space)
            .bind(memory)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(near)
    }
}
