//! The job queue and its worker.
//!
//! The only place that knows the queue library. Jobs are added by its SQL function in the transaction of the caller,
//! so a review and its job are stored together or not at all.

mod kinds;
mod worker;

use graphile_worker::WorkerUtils;
use reflect_types::ReviewId;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use std::time::Duration;

use crate::db::{Db, ProjectDb, ProjectTx};
use crate::error::StoreError;
use crate::ids::ErasureId;
pub use kinds::{EraseJob, IndexJob, Job, JudgeJob, LearnJob, ReembedJob};
pub use worker::WorkSettings;

/// The job queue and its worker.
#[derive(Debug, Clone, Copy)]
pub struct JobStore<'a> {
    pub(crate) db: &'a Db,
}

/// The schema of the queue's tables.
const SCHEMA: &str = "reflect_jobs";
/// Distinguishes test databases with another version of the queue's tables.
pub(crate) const VERSION: &str = "graphile_worker 0.14.1";
/// A memory that could not be embedded is tried again after this.
const REFILL: Duration = Duration::from_secs(5);
/// How many jobs of one project may run at the same time.
const SHARES: i32 = 4;

/// Brings the queue's own tables up to date.
pub(crate) async fn migrate(options: PgConnectOptions) -> Result<(), StoreError> {
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
    let migrated = WorkerUtils::new(pool.clone(), SCHEMA).migrate().await;
    pool.close().await;
    migrated.map_err(|error| StoreError::Queue(error.to_string()))
}

/// Queues learning from reviews, after a delay by the database's clock.
pub(crate) async fn enqueue_learning(
    transaction: &mut ProjectTx,
    reviews: &[ReviewId],
    delay: Duration,
) -> Result<(), StoreError> {
    if reviews.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("../../sql/jobs/enqueue_learning.sql"))
        .bind(transaction.project)
        .bind(reviews)
        .bind(SHARES)
        .bind(delay.as_secs_f64())
        .execute(&mut **transaction)
        .await?;
    Ok(())
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

/// Queues the indexing of memories without a vector.
pub(crate) async fn enqueue_indexing(transaction: &mut ProjectTx, delay: Duration) -> Result<(), StoreError> {
    let queued = sqlx::query(include_str!("../../sql/jobs/enqueue_indexing.sql"));
    queued.bind(transaction.project).bind(delay.as_secs_f64()).execute(&mut **transaction).await?;
    Ok(())
}

impl JobStore<'_> {
    /// How many jobs wait or run, and for how long the oldest of those that are due has waited.
    pub async fn waiting(&self) -> Result<(i64, Duration), StoreError> {
        let counted = sqlx::query_as(include_str!("../../sql/maintenance/jobs_waiting.sql"));
        let (jobs, age): (i64, f64) = counted.fetch_one(&self.db.pools.reads).await?;
        Ok((jobs, Duration::from_secs_f64(age.max(0.0))))
    }
}

/// Queues learning for reviews without a job. Returns how many.
pub(crate) async fn requeue_orphans(db: &ProjectDb) -> Result<u64, StoreError> {
    let mut transaction = db.write().await?;
    let orphans: Vec<ReviewId> = sqlx::query_scalar(include_str!("../../sql/jobs/orphans.sql"))
        .bind(db.project)
        .fetch_all(&mut *transaction)
        .await?;
    enqueue_learning(&mut transaction, &orphans, Duration::ZERO).await?;
    transaction.commit().await?;
    Ok(orphans.len() as u64)
}

/// Queues the work of an embedding migration.
pub(crate) async fn enqueue_reembedding(
    transaction: &mut ProjectTx,
    delay: Duration,
) -> Result<(), StoreError> {
    let queued =
        sqlx::query(include_str!("../../sql/jobs/enqueue_reembedding.sql")).bind(transaction.project);
    queued.bind(delay.as_secs_f64()).execute(&mut **transaction).await?;
    Ok(())
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
    let queued = sqlx::query(include_str!("../../sql/jobs/enqueue_erasure.sql"));
    queued.bind(transaction.project).bind(erasure).execute(&mut **transaction).await?;
    Ok(())
}
