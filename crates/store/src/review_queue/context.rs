//! What a reviewer has to know about a run besides the run: its memories, its retrieval, and what is usual.

use reflect_types::{MemoryId, MemoryStatus, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;
use crate::traces::TraceRow;

/// How much is known of a memory.
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

/// A memory that a run had, as a reviewer is shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedMemory {
    /// How much is known of it.
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

/// What is usual for runs of a project: the middle of the newest ones. None where too few say.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct Usual {
    /// How long an answer is, in characters.
    pub answer: Option<f64>,
    /// How many messages there are.
    pub messages: Option<f64>,
    /// How long a run takes, in milliseconds.
    pub latency: Option<f64>,
    /// What a run costs, in whatever the client counts.
    pub cost: Option<f64>,
}

impl Usual {
    /// The most runs that are looked at.
    pub const MOST: i64 = 200;
    /// With fewer of them nothing is usual.
    pub const LEAST: i64 = 20;
}

impl ProjectCtx {
    /// Runs, in the order given; those that are gone are left out. Only those in `read` have their trajectories.
    pub async fn traces_by_id(&self, ids: &[TraceId], read: &[TraceId]) -> Result<Vec<TraceRow>, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/review_queue/traces.sql"));
        let rows: Vec<TraceRow> = found.bind(self.project).bind(ids).fetch_all(&mut *transaction).await?;
        let (mut rows, unread): (Vec<TraceRow>, Vec<TraceRow>) =
            rows.into_iter().partition(|row| read.contains(&row.trace_id));
        self.fill_bodies(&mut transaction, &mut rows).await?;
        transaction.commit().await?;
        rows.extend(unread);
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.trace_id));
        Ok(rows)
    }

    /// How much is known of memories; those that do not exist are left out.
    pub async fn memory_standings(&self, memories: &[MemoryId]) -> Result<Vec<MemoryStanding>, StoreError> {
        let mut transaction = self.read().await?;
        let standings = sqlx::query_as(include_str!("../../sql/review_queue/standings.sql"));
        let standings = standings.bind(self.project).bind(memories).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(standings)
    }

    /// Memories as a reviewer is shown them; those that do not exist are left out.
    pub async fn linked_memories(&self, memories: &[MemoryId]) -> Result<Vec<LinkedMemory>, StoreError> {
        let mut transaction = self.read().await?;
        let linked = sqlx::query_as(include_str!("../../sql/review_queue/memories.sql"));
        let linked = linked.bind(self.project).bind(memories).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(linked)
    }

    /// Which of these runs had a retrieval that searched by words only.
    pub async fn degraded_runs(&self, ids: &[TraceId]) -> Result<Vec<TraceId>, StoreError> {
        let mut transaction = self.read().await?;
        let degraded = sqlx::query_scalar(include_str!("../../sql/review_queue/degraded.sql"));
        let degraded = degraded.bind(self.project).bind(ids).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(degraded)
    }

    /// What is usual for the runs of this project.
    pub async fn usual(&self) -> Result<Usual, StoreError> {
        let mut transaction = self.read().await?;
        let usual = sqlx::query_as(include_str!("../../sql/review_queue/usual.sql"))
            .bind(self.project)
            .bind(uuid::Uuid::max())
            .bind(Usual::MOST)
            .bind(Usual::LEAST)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(usual)
    }
}
