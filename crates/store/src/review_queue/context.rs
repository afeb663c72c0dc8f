//! What a reviewer needs besides the run: its memories, its retrieval, and typical values.

use reflect_types::{MemoryId, MemoryStatus, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::QueueStore;
use crate::db::coded;
use crate::error::StoreError;

/// The review counts of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct MemoryStanding {
    /// The memory.
    pub memory_id: MemoryId,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// How many reviews its credit rests on.
    pub evidence: i32,
}

/// A memory of a run, as a reviewer sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedMemory {
    /// Its review counts.
    pub standing: MemoryStanding,
    /// The lesson in one line.
    pub summary: String,
    /// The lesson.
    pub reflection: String,
    /// Its utility.
    pub q: f32,
    /// Whether it may be served.
    pub status: MemoryStatus,
}

impl FromRow<'_, PgRow> for LinkedMemory {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            standing: MemoryStanding::from_row(row)?,
            summary: row.try_get("summary")?,
            reflection: row.try_get("reflection")?,
            q: row.try_get("q")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
        })
    }
}

/// Typical values of a project's runs: the medians of the newest. `None` if too few runs have the value.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct TypicalRun {
    /// How long an answer is, in characters.
    pub answer: Option<f64>,
    /// How many messages there are.
    pub messages: Option<f64>,
    /// How long a run takes, in milliseconds.
    pub latency: Option<f64>,
    /// The cost of a run, in the unit of the client.
    pub cost: Option<f64>,
}

impl TypicalRun {
    /// Maximum number of runs that are read.
    pub const MOST: i64 = 200;
    /// With fewer runs there is no typical value.
    pub const LEAST: i64 = 20;
}

impl QueueStore<'_> {
    /// The review counts of memories. Missing memories are skipped.
    pub async fn standings(&self, memories: &[MemoryId]) -> Result<Vec<MemoryStanding>, StoreError> {
        let mut transaction = self.db.read().await?;
        let standings = sqlx::query_as(include_str!("../../sql/review_queue/standings.sql"));
        let standings = standings.bind(self.db.project).bind(memories).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(standings)
    }

    /// Memories as a reviewer sees them. Missing memories are skipped.
    pub async fn linked_memories(&self, memories: &[MemoryId]) -> Result<Vec<LinkedMemory>, StoreError> {
        let mut transaction = self.db.read().await?;
        let linked = sqlx::query_as(include_str!("../../sql/review_queue/memories.sql"));
        let linked = linked.bind(self.db.project).bind(memories).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(linked)
    }

    /// Which of these runs had a retrieval that searched by words only.
    pub async fn degraded(&self, ids: &[TraceId]) -> Result<Vec<TraceId>, StoreError> {
        let mut transaction = self.db.read().await?;
        let degraded = sqlx::query_scalar(include_str!("../../sql/review_queue/degraded.sql"));
        let degraded = degraded.bind(self.db.project).bind(ids).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(degraded)
    }

    /// Typical values of the runs of this project.
    pub async fn typical(&self) -> Result<TypicalRun, StoreError> {
        let mut transaction = self.db.read().await?;
        let usual = sqlx::query_as(include_str!("../../sql/review_queue/typical.sql"))
            .bind(self.db.project)
            .bind(uuid::Uuid::max())
            .bind(TypicalRun::MOST)
            .bind(TypicalRun::LEAST)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(usual)
    }
}
