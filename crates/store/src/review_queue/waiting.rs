//! Runs that wait for a review.

use reflect_types::{Link, MemoryId, TraceId};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::QueueStore;
use crate::db::coded;
use crate::error::StoreError;

/// A filter on waiting runs. An absent value is no condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueFilter {
    /// The model that ran.
    pub model: Option<String>,
    /// Every key must be present with that value, or with a list that contains it.
    pub metadata: Map<String, Value>,
    /// The task contains this text, ignoring case.
    pub task: Option<String>,
}

/// From which end of the queue runs are taken, and how many from each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// How many of the newest.
    pub newest: u16,
    /// How many of the oldest.
    pub oldest: u16,
    /// How many at random.
    pub sampled: u16,
}

impl Reach {
    /// Maximum number of runs that are read. Runs beyond it are neither found nor counted.
    pub const MOST: i64 = 10_000;

    /// How many runs to read from the newest and from the oldest.
    const fn windows(self) -> (i64, i64) {
        match (self.newest, self.oldest) {
            (0, 0) => (Self::MOST, 0),
            (0, _) => (0, Self::MOST),
            (_, 0) => (Self::MOST, 0),
            (_, _) => (Self::MOST / 2, Self::MOST / 2),
        }
    }
}

/// A run that waits for a review, with the values that decide its position.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingRun {
    /// The run.
    pub trace_id: TraceId,
    /// Whether the caller already holds its lease.
    pub mine: bool,
    /// Who deferred it, if the deferral has ended.
    pub deferred_by: Option<String>,
    /// Why.
    pub deferred_note: Option<String>,
    /// How it was linked to memories.
    pub link: Link,
    /// The linked memories.
    pub linked: Vec<MemoryId>,
    /// Whether its retrieval found no memory.
    pub nothing_near: bool,
    /// How many bytes its trajectory has.
    pub body_length: i32,
    /// How long it has waited, in seconds.
    pub age: f64,
    /// The visible judgement of the project's judge.
    pub judged: Option<Judged>,
}

/// The judgement of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Whether it passed. `None` if the judge could not decide.
    pub passed: Option<bool>,
    /// The confidence of the judge, 0 to 1, if known.
    pub confidence: Option<f32>,
}

struct Found {
    run: WaitingRun,
    waiting: i64,
}

impl FromRow<'_, PgRow> for Found {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let run = WaitingRun {
            trace_id: row.try_get("trace_id")?,
            mine: row.try_get("mine")?,
            deferred_by: row.try_get("deferred_by")?,
            deferred_note: row.try_get("deferred_note")?,
            link: coded(Link::from_code(row.try_get("link")?))?,
            linked: row.try_get("linked")?,
            nothing_near: row.try_get("nothing_near")?,
            body_length: row.try_get("body_length")?,
            age: row.try_get("age")?,
            judged: judged(row)?,
        };
        Ok(Self { run, waiting: row.try_get("waiting")? })
    }
}

fn judged(row: &PgRow) -> Result<Option<Judged>, sqlx::Error> {
    let verdict: Option<i16> = row.try_get("judged")?;
    let confidence = row.try_get("confidence")?;
    let passed = |verdict: i16| match verdict {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    Ok(verdict.map(|verdict| Judged { passed: passed(verdict), confidence }))
}

/// Waiting runs, and their number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WaitingRuns {
    /// A selection, newest first.
    pub runs: Vec<WaitingRun>,
    /// How many were counted.
    pub total: i64,
}

/// Counts of the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct QueueCounts {
    /// Free runs.
    pub pending: i64,
    /// Leased runs.
    pub leased: i64,
    /// Deferred runs.
    pub deferred: i64,
    /// How long the oldest free run has waited, in seconds.
    pub oldest_pending: Option<f64>,
    /// Runs that a person reviewed today (UTC).
    pub reviewed_today: i64,
}

impl QueueStore<'_> {
    /// Waiting runs that this holder may get, without those in `skip`. The holder's own leases are included only with
    /// `renew`.
    pub async fn waiting(
        &self,
        holder: &str,
        filter: &QueueFilter,
        reach: Reach,
        skip: &[TraceId],
        renew: bool,
    ) -> Result<WaitingRuns, StoreError> {
        let (newest, oldest) = reach.windows();
        let mut transaction = self.db.read().await?;
        let rows: Vec<Found> = sqlx::query_as(include_str!("../../sql/review_queue/waiting.sql"))
            .bind(self.db.project)
            .bind(holder)
            .bind(skip)
            .bind(renew)
            .bind(newest)
            .bind(oldest)
            .bind(i64::from(reach.newest))
            .bind(i64::from(reach.oldest))
            .bind(&filter.model)
            .bind(Value::Object(filter.metadata.clone()))
            .bind(&filter.task)
            .bind(i64::from(reach.sampled))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let total = rows.first().map_or(0, |row| row.waiting);
        Ok(WaitingRuns { runs: rows.into_iter().map(|row| row.run).collect(), total })
    }

    /// Counts of the queue.
    pub async fn counts(&self) -> Result<QueueCounts, StoreError> {
        let mut transaction = self.db.read().await?;
        let counts = sqlx::query_as(include_str!("../../sql/review_queue/counts.sql"))
            .bind(self.db.project)
            .bind(Reach::MOST)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(counts)
    }
}
