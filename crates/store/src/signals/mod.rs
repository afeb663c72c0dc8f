//! Signals: stored as they are received, matched with the runs that they are about, and applied as reviews.

mod accept;
mod matching;
mod measure;
mod resolve;

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, ReviewResult, RunKeyName, SignalId, SignalReport, SignalSource, TraceId, Trust};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::db::{ProjectDb, coded};
use crate::error::StoreError;
use crate::jobs;

pub use accept::{NewSignal, NewVote, ReceivedSignal, SignalOnce, SignalSender, SignalState};
pub(crate) use matching::{ArrivingRun, match_runs};
pub use measure::SourceWeek;
pub use resolve::{SignalWait, SignalledReview, SignalledRun};

/// The signals of a project.
#[derive(Debug, Clone, Copy)]
pub struct SignalStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// What a signal is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignalSubject {
    /// A run.
    Trace(TraceId),
    /// The runs that declare a key.
    Key {
        /// The name of the key.
        name: RunKeyName,
        /// Its value.
        value: String,
    },
}

/// A stored signal about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalRow {
    /// Its id.
    pub signal_id: SignalId,
    /// The system that it comes from.
    pub source: SignalSource,
    /// The key by which it found the run. `None` if it named the run.
    pub key: Option<(String, String)>,
    /// What it reports.
    pub report: SignalReport,
    /// When that happened.
    pub occurred_at: DateTime<Utc>,
    /// When it was received.
    pub received_at: DateTime<Utc>,
    /// A comment.
    pub comment: Option<String>,
    /// Where to read more.
    pub url: Option<String>,
    /// As sent.
    pub metadata: Option<serde_json::Value>,
    /// The key that sent it, or that issued its feedback token.
    pub key_id: KeyId,
    /// The trust of that key.
    pub trust: Trust,
    /// Whether it is the vote of a feedback token.
    pub by_token: bool,
    /// Whether the issuer of its feedback token may not review.
    pub bounded: bool,
    /// Whether it is withheld from reviewers until a person has reviewed the run.
    pub blind: bool,
}

impl FromRow<'_, PgRow> for SignalRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let source: String = row.try_get("source")?;
        let key_name: Option<String> = row.try_get("key_name")?;
        let key_value: Option<String> = row.try_get("key_value")?;
        Ok(Self {
            signal_id: row.try_get("signal_id")?,
            source: source.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            key: key_name.zip(key_value),
            report: report(row.try_get("passed")?, row.try_get("score")?)?,
            occurred_at: row.try_get("occurred_at")?,
            received_at: row.try_get("created_at")?,
            comment: row.try_get("comment")?,
            url: row.try_get("url")?,
            metadata: row.try_get("metadata")?,
            key_id: row.try_get("key_id")?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            by_token: row.try_get("by_token")?,
            bounded: row.try_get("bounded")?,
            blind: row.try_get("blind")?,
        })
    }
}

fn report(passed: Option<bool>, score: Option<f64>) -> Result<SignalReport, sqlx::Error> {
    match (passed, score) {
        (Some(passed), _) => Ok(SignalReport::Outcome(result(passed))),
        (None, Some(score)) => Ok(SignalReport::Score(score)),
        (None, None) => Err(sqlx::Error::Decode("a signal has neither a result nor a score".into())),
    }
}

const fn result(passed: bool) -> ReviewResult {
    if passed { ReviewResult::Pass } else { ReviewResult::Fail }
}

/// The columns of a report.
fn columns(report: SignalReport) -> (Option<bool>, Option<f64>) {
    match report {
        SignalReport::Outcome(result) => (Some(result == ReviewResult::Pass), None),
        SignalReport::Score(score) => (None, Some(score)),
    }
}

/// Queues runs whose signals wait without a job. Returns how many.
pub(crate) async fn requeue(db: &ProjectDb) -> Result<u64, StoreError> {
    let mut transaction = db.write().await?;
    let orphans = sqlx::query_as(include_str!("../../sql/signals/orphans.sql")).bind(db.project);
    let orphans: Vec<(TraceId, f64)> = orphans.fetch_all(&mut *transaction).await?;
    for (trace, delay) in &orphans {
        let delay = std::time::Duration::try_from_secs_f64(*delay).unwrap_or_default();
        jobs::enqueue_resolving(&mut transaction, &[*trace], delay).await?;
    }
    transaction.commit().await?;
    Ok(orphans.len() as u64)
}
