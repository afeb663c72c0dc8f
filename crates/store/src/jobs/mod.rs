//! The job queue and its worker.
//!
//! Jobs are added in the transaction of the caller, so a review and its job are stored together or not at all. Workers
//! take the jobs of all projects in turn (ADR 0055).

mod claims;
mod kinds;
mod settings;
mod worker;

use std::time::Duration;

use reflect_types::{ReviewId, SignalId, TraceId};
use uuid::Uuid;

use crate::db::{Db, ProjectDb, ProjectTx};
use crate::error::StoreError;
use crate::ids::{ErasureId, OtlpId};
use crate::webhooks::WebhookQueue;
use kinds::JobKind;
pub use kinds::{
    AssembleJob, EraseJob, IndexJob, Job, JudgeJob, LearnJob, MatchJob, ReembedJob, ResolveJob, SignalMinute,
};
pub use settings::WorkSettings;

/// A transaction that stores a run and does not see a signal of the same moment has ended after this time: its statements are
/// limited to 10 seconds each. Processes then also know that the project has signals.
const UNSEEN_FOR: Duration = Duration::from_secs(60);

/// The job queue and its worker.
#[derive(Debug, Clone, Copy)]
pub struct JobStore<'a> {
    pub(crate) db: &'a Db,
}

/// A memory that could not be embedded is tried again after this.
const REFILL: Duration = Duration::from_secs(5);
/// The subject of jobs about a whole project.
const WHOLE_PROJECT: &[Uuid] = &[Uuid::nil()];

/// Queues jobs of one kind, given by its code, after a delay by the database's clock.
async fn enqueue(
    transaction: &mut ProjectTx,
    kind: i16,
    subjects: &[Uuid],
    failures: i16,
    delay: Duration,
) -> Result<(), StoreError> {
    if subjects.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("../../sql/jobs/enqueue.sql"))
        .bind(transaction.project)
        .bind(kind)
        .bind(subjects)
        .bind(failures)
        .bind(delay.as_secs_f64())
        .execute(&mut **transaction)
        .await?;
    if delay.is_zero() {
        transaction.announce_jobs();
    }
    Ok(())
}

/// Queues learning from reviews.
pub(crate) async fn enqueue_learning(
    transaction: &mut ProjectTx,
    reviews: &[ReviewId],
    delay: Duration,
) -> Result<(), StoreError> {
    let reviews: Vec<Uuid> = reviews.iter().map(|review| review.as_uuid()).collect();
    enqueue(transaction, const { JobKind::Learn.code() }, &reviews, 0, delay).await
}

pub(crate) async fn dequeue_learning(
    transaction: &mut ProjectTx,
    review: ReviewId,
) -> Result<(), StoreError> {
    let removed = sqlx::query(include_str!("../../sql/jobs/dequeue_learning.sql"))
        .bind(transaction.project)
        .bind(review);
    removed.execute(&mut **transaction).await?;
    Ok(())
}

/// Queues runs whose signals have to be looked at.
pub(crate) async fn enqueue_resolving(
    transaction: &mut ProjectTx,
    traces: &[TraceId],
    delay: Duration,
) -> Result<(), StoreError> {
    let traces: Vec<Uuid> = traces.iter().map(|trace| trace.as_uuid()).collect();
    enqueue(transaction, const { JobKind::Resolve.code() }, &traces, 0, delay).await
}

/// Queues a second look at signals that were stored without their run, one job for all signals of a minute.
pub(crate) async fn enqueue_matching(
    transaction: &mut ProjectTx,
    signals: &[SignalId],
) -> Result<(), StoreError> {
    let minutes: Vec<Uuid> = signals.iter().map(|signal| SignalMinute::of(*signal).first()).collect();
    enqueue(transaction, const { JobKind::Match.code() }, &minutes, 0, UNSEEN_FOR).await
}

/// Queues runs for the judge. `failures` is the number of failed attempts.
pub(crate) async fn enqueue_judging(
    transaction: &mut ProjectTx,
    traces: &[TraceId],
    failures: i16,
    delay: Duration,
) -> Result<(), StoreError> {
    let traces: Vec<Uuid> = traces.iter().map(|trace| trace.as_uuid()).collect();
    enqueue(transaction, const { JobKind::Judge.code() }, &traces, failures, delay).await
}

/// Queues the indexing of memories without a vector.
pub(crate) async fn enqueue_indexing(transaction: &mut ProjectTx, delay: Duration) -> Result<(), StoreError> {
    enqueue(transaction, const { JobKind::Index.code() }, WHOLE_PROJECT, 0, delay).await
}

/// Queues the work of an embedding migration.
pub(crate) async fn enqueue_reembedding(
    transaction: &mut ProjectTx,
    delay: Duration,
) -> Result<(), StoreError> {
    enqueue(transaction, const { JobKind::Reembed.code() }, WHOLE_PROJECT, 0, delay).await
}

/// Queues the indexing of a new memory that is missing in one of the project's spaces.
pub(crate) async fn enqueue_refill(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let queued = sqlx::query(include_str!("../../sql/spaces/refill.sql")).bind(transaction.project);
    queued.bind(REFILL.as_secs_f64()).execute(&mut **transaction).await?;
    Ok(())
}

/// Queues the removal of a run or a subject.
pub(crate) async fn enqueue_erasure(
    transaction: &mut ProjectTx,
    erasure: ErasureId,
) -> Result<(), StoreError> {
    enqueue(transaction, const { JobKind::Erase.code() }, &[erasure], 0, Duration::ZERO).await
}

/// Queues the assembly of runs that arrive as spans.
pub(crate) async fn enqueue_assembly(
    transaction: &mut ProjectTx,
    runs: &[OtlpId],
    delay: Duration,
) -> Result<(), StoreError> {
    enqueue(transaction, const { JobKind::Assemble.code() }, runs, 0, delay).await
}

/// Makes delayed jobs of the project due now, because a changed setting may resolve what they wait for.
pub(crate) async fn wake(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let woken = sqlx::query(include_str!("../../sql/jobs/wake.sql")).bind(transaction.project);
    woken.execute(&mut **transaction).await?;
    transaction.announce_jobs();
    Ok(())
}

/// Removes the jobs of a deleted project.
pub(crate) async fn remove_all(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let removed = sqlx::query(include_str!("../../sql/jobs/remove_all.sql")).bind(transaction.project);
    removed.execute(&mut **transaction).await?;
    Ok(())
}

/// Queues learning for reviews without a job, page by page. Returns how many.
pub(crate) async fn requeue_orphans(db: &ProjectDb) -> Result<u64, StoreError> {
    let (mut after, mut requeued) = (Uuid::nil(), 0);
    loop {
        let mut transaction = db.write().await?;
        let (orphans, next): (Vec<Uuid>, Option<Uuid>) =
            sqlx::query_as(include_str!("../../sql/jobs/orphans.sql"))
                .bind(db.project)
                .bind(after)
                .fetch_one(&mut *transaction)
                .await?;
        enqueue(&mut transaction, const { JobKind::Learn.code() }, &orphans, 0, Duration::ZERO).await?;
        transaction.commit().await?;
        requeued += orphans.len() as u64;
        match next {
            Some(last) => after = last,
            None => return Ok(requeued),
        }
    }
}

impl<'a> JobStore<'a> {
    /// The endpoints that have something to send.
    pub const fn webhooks(self) -> WebhookQueue<'a> {
        WebhookQueue { db: self.db }
    }

    /// How many jobs wait or run, at most 100,000, and for how long the oldest of those that are due has waited.
    pub async fn waiting(&self) -> Result<(i64, Duration), StoreError> {
        let counted = sqlx::query_as(include_str!("../../sql/maintenance/jobs_waiting.sql"));
        let (jobs, age): (i64, f64) = counted.fetch_one(&self.db.pools.lookups).await?;
        Ok((jobs, Duration::from_secs_f64(age.max(0.0))))
    }

    /// Returns jobs to the queue whose worker is not known, and takes over jobs that a process of an earlier version
    /// queued. Returns how many.
    pub async fn adopt(&self) -> Result<u64, StoreError> {
        let statements = [
            include_str!("../../sql/maintenance/recover_unknown.sql"),
            include_str!("../../sql/maintenance/adopt_jobs.sql"),
        ];
        let mut adopted = 0;
        for statement in statements {
            let jobs: i64 = sqlx::query_scalar(statement).fetch_one(&self.db.pools.work).await?;
            adopted += jobs.unsigned_abs();
        }
        if adopted > 0 {
            self.db.job_signal.announce();
        }
        Ok(adopted)
    }
}
