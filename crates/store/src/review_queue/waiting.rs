//! Which runs wait for a verdict.

use reflect_types::{Link, MemoryId, TraceId};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;

/// Which of the runs that wait are asked for. What is absent is not asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueFilter {
    /// The model that ran.
    pub model: Option<String>,
    /// Every key must be there with that value, or with a list that holds it.
    pub metadata: Map<String, Value>,
    /// The task has this text in it, in capitals or not.
    pub task: Option<String>,
}

/// From which end of the queue runs are taken, and the most from each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// So many of the newest.
    pub newest: u16,
    /// So many of the oldest.
    pub oldest: u16,
    /// So many by lot.
    pub by_lot: u16,
}

impl Reach {
    /// The most runs that are looked at to find them. Beyond it, nothing is found and nothing counted.
    pub const MOST: i64 = 10_000;

    /// How far to look from the newest and from the oldest.
    const fn windows(self) -> (i64, i64) {
        match (self.newest, self.oldest) {
            (0, 0) => (Self::MOST, 0),
            (0, _) => (0, Self::MOST),
            (_, 0) => (Self::MOST, 0),
            (_, _) => (Self::MOST / 2, Self::MOST / 2),
        }
    }
}

/// A run that waits for a verdict, with what its place in the queue goes by.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingRun {
    /// The run.
    pub trace_id: TraceId,
    /// Whether the holder who asks has it on lease already.
    pub mine: bool,
    /// Who had put it off, when that time is over.
    pub deferred_by: Option<String>,
    /// And why.
    pub deferred_note: Option<String>,
    /// How it is known which memories it had.
    pub link: Link,
    /// Those memories.
    pub linked: Vec<MemoryId>,
    /// Whether there was no memory for it, as far as is known.
    pub nothing_near: bool,
    /// How many bytes its trajectory has.
    pub body_length: i32,
    /// How long it has waited, in seconds.
    pub age: f64,
    /// What the project's judge said of it, when that may be seen.
    pub judged: Option<Judged>,
}

/// What a judge said of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Whether it passed; none when the judge could not tell.
    pub passed: Option<bool>,
    /// How sure the judge was, 0 to 1, when it said so.
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

/// Runs that wait, and how many there are of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waiting {
    /// Some of them, newest first.
    pub runs: Vec<WaitingRun>,
    /// How many there are, as far as was looked.
    pub total: i64,
}

/// How the queue stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct QueueCounts {
    /// Runs that anybody may get.
    pub pending: i64,
    /// Runs that somebody is looking at.
    pub leased: i64,
    /// Runs that were put off.
    pub deferred: i64,
    /// How long the oldest of those that anybody may get has waited, in seconds.
    pub oldest_pending: Option<f64>,
    /// Runs that got their verdict from a person today, by the calendar of UTC.
    pub reviewed_today: i64,
}

impl ProjectCtx {
    /// Runs that wait for a verdict and that this holder may get, but for those they skip. Their own leases
    /// are among them only when they are to be renewed.
    pub async fn waiting_runs(
        &self,
        holder: &str,
        filter: &QueueFilter,
        reach: Reach,
        skip: &[TraceId],
        renew: bool,
    ) -> Result<Waiting, StoreError> {
        let (newest, oldest) = reach.windows();
        let mut transaction = self.read().await?;
        let rows: Vec<Found> = sqlx::query_as(include_str!("../../sql/review_queue/waiting.sql"))
            .bind(self.project)
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
            .bind(i64::from(reach.by_lot))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let total = rows.first().map_or(0, |row| row.waiting);
        Ok(Waiting { runs: rows.into_iter().map(|row| row.run).collect(), total })
    }

    /// How the queue stands.
    pub async fn queue_counts(&self) -> Result<QueueCounts, StoreError> {
        let mut transaction = self.read().await?;
        let counts = sqlx::query_as(include_str!("../../sql/review_queue/counts.sql"))
            .bind(self.project)
            .bind(Reach::MOST)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(counts)
    }
}
