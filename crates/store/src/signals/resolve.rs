//! The signals about one run, and the review that they become.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{
    CrashPoint, MemoryId, RetrievalId, ReviewId, ReviewResult, ReviewerKind, SignalSource, TraceId, Trust,
};
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{SignalRow, SignalStore, result};
use crate::audit::AuditActor;
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;
use crate::jobs;
use crate::ledger::{self, Prepared};
use crate::reviews::{self, ReviewChange};
use crate::sealing::SealedColumn;

/// That the signals about a run have to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalWait {
    /// When.
    pub until: DateTime<Utc>,
    /// Another value after every new signal.
    change: Uuid,
}

/// The live review of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignalledReview {
    /// Its id.
    pub review_id: ReviewId,
    /// Its result.
    pub result: ReviewResult,
    /// Who gave it.
    pub by: ReviewerKind,
    /// The source, if signals gave it.
    pub source: Option<SignalSource>,
    /// The trust of the key behind it.
    pub trust: Trust,
}

/// A run and the signals about it.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalledRun {
    /// The signals, in the order in which they happened.
    pub signals: Vec<SignalRow>,
    /// `None` if nothing has to be done about them.
    pub wait: Option<SignalWait>,
    /// The live review.
    pub review: Option<SignalledReview>,
    /// The task.
    pub task: String,
    /// The memories that the run had.
    pub linked: Vec<MemoryId>,
    /// The receipt of that link.
    pub retrieval: Option<RetrievalId>,
    /// The time of the database.
    pub now: DateTime<Utc>,
}

impl SignalledRun {
    fn read(row: &PgRow, signals: Vec<SignalRow>) -> Result<Self, sqlx::Error> {
        let until: Option<DateTime<Utc>> = row.try_get("until")?;
        let change: Option<Uuid> = row.try_get("change")?;
        Ok(Self {
            signals,
            wait: until.zip(change).map(|(until, change)| SignalWait { until, change }),
            review: review(row)?,
            task: row.try_get("task")?,
            linked: row.try_get("linked")?,
            retrieval: row.try_get("linked_retrieval")?,
            now: row.try_get("now")?,
        })
    }
}

fn review(row: &PgRow) -> Result<Option<SignalledReview>, sqlx::Error> {
    let Some(review_id) = row.try_get("review_id")? else { return Ok(None) };
    let reviewer: String = row.try_get("reviewer")?;
    Ok(Some(SignalledReview {
        review_id,
        result: result(row.try_get("passed")?),
        by: ReviewerKind::of(&reviewer),
        source: reviewer.strip_prefix(ReviewerKind::SIGNAL).and_then(|source| source.parse().ok()),
        trust: coded(Trust::from_code(row.try_get("trust")?))?,
    }))
}

impl SignalStore<'_> {
    /// A run and the signals about it.
    pub async fn run(&self, trace: TraceId) -> Result<SignalledRun, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let run = sqlx::query(include_str!("../../sql/signals/run.sql")).bind(self.db.project).bind(trace);
        let Some(run) = run.fetch_optional(&mut *transaction).await? else {
            return Err(StoreError::NotFound { what: "trace" });
        };
        // After the wait: a signal that arrives in between has changed it.
        let signals = sqlx::query_as(include_str!("../../sql/signals/of_run.sql"));
        let mut signals: Vec<SignalRow> =
            signals.bind(self.db.project).bind(trace).fetch_all(&mut *transaction).await?;
        for signal in &mut signals {
            let place = SealedColumn::SignalComment.of(signal.signal_id.as_uuid());
            transaction.sealer.open_field(place, &mut signal.comment)?;
        }
        transaction.commit().await?;
        Ok(SignalledRun::read(&run, signals)?)
    }

    /// Ends the wait for signals about a run, or continues it until a later time. Changes nothing if a signal arrived
    /// meanwhile.
    pub async fn settle(
        &self,
        trace: TraceId,
        wait: SignalWait,
        again: Option<(DateTime<Utc>, Duration)>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.point_write().await?;
        settle_in(&mut transaction, trace, wait, again).await?;
        transaction.commit().await
    }

    /// Ends the wait for signals about a run that is gone.
    pub async fn forget_wait(&self, trace: TraceId) -> Result<(), StoreError> {
        let mut transaction = self.db.point_write().await?;
        let forgotten = sqlx::query(include_str!("../../sql/signals/forget_wait.sql"));
        forgotten.bind(self.db.project).bind(trace).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// Stores the review that signals became, or withdraws the one that they do not support any more, and settles their
    /// wait, in one transaction. Returns false if the run has another review than the caller expects.
    pub async fn apply(
        &self,
        change: &ReviewChange<'_>,
        wait: SignalWait,
        again: Option<(DateTime<Utc>, Duration)>,
        actor: &AuditActor,
    ) -> Result<bool, StoreError> {
        let prepared = match change.instead_of {
            Some(old) => ledger::prepare(self.db, old).await?,
            None => Prepared::default(),
        };
        let mut transaction = self.db.point_write().await?;
        let changed = reviews::change_in(&mut transaction, change, actor, prepared).await?;
        if changed {
            settle_in(&mut transaction, change.trace, wait, again).await?;
            transaction.commit_at(CrashPoint::SignalApply).await?;
        }
        Ok(changed)
    }
}

/// The row of the wait is locked before the job is queued, as for a new signal: the later of the two decides when the job
/// runs.
async fn settle_in(
    transaction: &mut ProjectTx,
    trace: TraceId,
    wait: SignalWait,
    again: Option<(DateTime<Utc>, Duration)>,
) -> Result<(), StoreError> {
    let Some((until, delay)) = again else {
        let settled = sqlx::query(include_str!("../../sql/signals/settle.sql"));
        settled.bind(transaction.project).bind(trace).bind(wait.change).execute(&mut **transaction).await?;
        return Ok(());
    };
    let postponed: Option<TraceId> = sqlx::query_scalar(include_str!("../../sql/signals/postpone.sql"))
        .bind(transaction.project)
        .bind(trace)
        .bind(wait.change)
        .bind(until)
        .fetch_optional(&mut **transaction)
        .await?;
    match postponed {
        Some(trace) => jobs::enqueue_resolving(transaction, &[trace], delay).await,
        None => Ok(()),
    }
}
