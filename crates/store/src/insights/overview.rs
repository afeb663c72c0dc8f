//! Overview of a project: counts of the newest runs by stage. Every count has a limit, so the cost does not depend on
//! the size of the project.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{MemoryId, MemoryOrigin, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::InsightStore;
use crate::db::coded;
use crate::error::StoreError;
use crate::lessons::{self, LessonCounts};

/// Maximum number of runs that are read.
const MOST_RUNS: i64 = 20_000;
/// Maximum number of reviews that are read.
const MOST_REVIEWS: i64 = 50_000;
/// A queue longer than this is long.
const MOST_PENDING: i64 = 1000;
/// How many memories and failures are named.
const NEWEST: i64 = 5;

/// How many runs came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct ArrivalCounts {
    /// In the last day.
    pub last_day: i64,
    /// In the last week, as far as was counted.
    pub last_week: i64,
}

/// The progress of the newest runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct StageCounts {
    /// Runs that were read.
    pub runs: i64,
    /// Reviewed ones.
    pub reviewed: i64,
    /// Reviews that became memories.
    pub made: i64,
    /// Reviews whose learning failed.
    pub failed: i64,
    /// Reviews that wait for learning.
    pub queued: i64,
    /// Runs that had memories.
    pub with_memories: i64,
}

/// Runs that wait for a review: those without one that are not deferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingCount {
    /// How many, as far as was counted.
    pub runs: i64,
    /// Whether there are more.
    pub more: bool,
}

/// How runs went that were judged on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct DayRow {
    /// The day (UTC).
    pub day: NaiveDate,
    /// Verdicts.
    pub reviews: i64,
    /// Passes.
    pub passed: i64,
}

/// A memory, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewestMemory {
    /// Its id.
    pub memory_id: MemoryId,
    /// The task it comes from.
    pub task: String,
    /// What it says.
    pub summary: String,
    /// Who wrote it.
    pub origin: MemoryOrigin,
    /// How its run went.
    pub success: Option<bool>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl FromRow<'_, PgRow> for NewestMemory {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            task: row.try_get("task")?,
            summary: row.try_get("summary")?,
            origin: coded(MemoryOrigin::from_code(row.try_get("origin")?))?,
            success: row.try_get("success")?,
            created_at: row.try_get("created_at")?,
        })
    }
}

/// A run whose learning failed.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct FailureRow {
    /// The run.
    pub trace_id: TraceId,
    /// What it was about.
    pub task: String,
    /// Why.
    pub last_error: Option<String>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

/// All of it, as of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewFacts {
    /// Runs that came in.
    pub arrivals: ArrivalCounts,
    /// Whether there are more than were counted.
    pub more_arrivals: bool,
    /// Their progress.
    pub stages: StageCounts,
    /// Those that wait for a review.
    pub pending: PendingCount,
    /// The one that has waited longest.
    pub oldest_pending: Option<(TraceId, DateTime<Utc>)>,
    /// How runs went by day.
    pub days: Vec<DayRow>,
    /// The newest memories.
    pub memories: Vec<NewestMemory>,
    /// The newest failures.
    pub failures: Vec<FailureRow>,
    /// How many lessons and situations there are.
    pub lessons: LessonCounts,
}

impl InsightStore<'_> {
    /// The project at a glance.
    pub async fn overview(&self) -> Result<OverviewFacts, StoreError> {
        let mut transaction = self.db.read().await?;
        let arrivals: ArrivalCounts = sqlx::query_as(include_str!("../../sql/overview/traces.sql"))
            .bind(self.db.project)
            .bind(MOST_RUNS)
            .fetch_one(&mut *transaction)
            .await?;
        let stages = sqlx::query_as(include_str!("../../sql/overview/stages.sql"))
            .bind(self.db.project)
            .bind(MOST_RUNS)
            .fetch_one(&mut *transaction)
            .await?;
        let pending: i64 = sqlx::query_scalar(include_str!("../../sql/overview/pending.sql"))
            .bind(self.db.project)
            .bind(MOST_PENDING + 1)
            .fetch_one(&mut *transaction)
            .await?;
        let oldest_pending = sqlx::query_as(include_str!("../../sql/overview/oldest_pending.sql"))
            .bind(self.db.project)
            .fetch_optional(&mut *transaction)
            .await?;
        let days = sqlx::query_as(include_str!("../../sql/overview/days.sql"))
            .bind(self.db.project)
            .bind(MOST_REVIEWS)
            .fetch_all(&mut *transaction)
            .await?;
        let memories = sqlx::query_as(include_str!("../../sql/overview/memories.sql"))
            .bind(self.db.project)
            .bind(NEWEST)
            .fetch_all(&mut *transaction)
            .await?;
        let failures = sqlx::query_as(include_str!("../../sql/overview/failures.sql"))
            .bind(self.db.project)
            .bind(NEWEST)
            .bind(MOST_RUNS)
            .fetch_all(&mut *transaction)
            .await?;
        let lessons = lessons::count_in(&mut transaction).await?;
        transaction.commit().await?;
        let more_arrivals = arrivals.last_week == MOST_RUNS;
        let pending = pending_count(pending);
        Ok(OverviewFacts {
            arrivals,
            more_arrivals,
            stages,
            pending,
            oldest_pending,
            days,
            memories,
            failures,
            lessons,
        })
    }

    /// How many runs wait for a review.
    pub async fn pending(&self) -> Result<PendingCount, StoreError> {
        let mut transaction = self.db.read().await?;
        let counted: i64 = sqlx::query_scalar(include_str!("../../sql/overview/pending.sql"))
            .bind(self.db.project)
            .bind(MOST_PENDING + 1)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(pending_count(counted))
    }
}

fn pending_count(counted: i64) -> PendingCount {
    PendingCount { runs: counted.min(MOST_PENDING), more: counted > MOST_PENDING }
}
