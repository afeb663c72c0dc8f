//! Memories of failed runs that helped later runs. Every read has a limit, so the cost does not depend on the size of the
//! project.

use reflect_types::{Credit, MemoryId, ReviewId, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::InsightStore;
use crate::error::StoreError;

/// Maximum number of memories that are read, newest first.
const MOST_MEMORIES: i64 = 2_000;
/// Maximum number of reviews that are read of one memory, newest first.
const MOST_USES: i64 = 100;

/// A memory of a failed run whose review still counts and has feedback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HelpfulMemory {
    /// Its id.
    pub memory_id: MemoryId,
    /// The review of that run.
    pub source_review: ReviewId,
    /// Its credit.
    pub credit: Credit,
}

impl FromRow<'_, PgRow> for HelpfulMemory {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            source_review: row.try_get("source_review")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
        })
    }
}

impl InsightStore<'_> {
    /// Active memories of failed runs with a credit above `credit_above` and an evidence of at least `least_evidence`, in no
    /// particular order.
    pub async fn helpful_memories(
        &self,
        credit_above: f32,
        least_evidence: i32,
    ) -> Result<Vec<HelpfulMemory>, StoreError> {
        let mut transaction = self.db.read().await?;
        let memories = sqlx::query_as(include_str!("../../sql/overview/helpful_memories.sql"))
            .bind(self.db.project)
            .bind(MOST_MEMORIES)
            .bind(credit_above)
            .bind(least_evidence)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(memories)
    }

    /// The newest passed run that used each of these memories. A memory without a stored one is missing.
    pub async fn helped_runs(
        &self,
        memories: &[HelpfulMemory],
    ) -> Result<Vec<(MemoryId, TraceId)>, StoreError> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.memory_id).collect();
        let reviews: Vec<ReviewId> = memories.iter().map(|memory| memory.source_review).collect();
        let mut transaction = self.db.read().await?;
        let runs = sqlx::query_as(include_str!("../../sql/overview/helped_runs.sql"))
            .bind(self.db.project)
            .bind(ids)
            .bind(reviews)
            .bind(MOST_USES)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(runs)
    }
}
