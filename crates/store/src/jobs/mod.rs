//! Work that is done later: the queue, and the worker that takes from it.
//!
//! The only place that knows which library keeps the queue. Jobs are added by its own SQL function in
//! the caller's transaction, so that a review and the work it asks for are stored together or not at all.

mod kinds;
mod worker;

use graphile_worker::WorkerUtils;
use reflect_types::ReviewId;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Postgres, Transaction};
use std::time::Duration;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;
pub use kinds::{EraseJob, Job, JudgeJob, LearnJob, PlaceJob, ReembedJob};
pub use worker::WorkSettings;

/// Its tables stand apart from ours.
const SCHEMA: &str = "reflect_jobs";
/// Tells test databases apart that were made with another version of the queue's tables.
pub(crate) const VERSION: &str = "graphile_worker 0.14.1";
/// How many jobs of one project may run at the same time.
const SHARES: i32 = 4;

/// Brings the queue's own tables up to date.
pub(crate) async fn migrate(options: PgConnectOptions) -> Result<(), StoreError> {
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
    let migrated = WorkerUtils::new(pool.clone(), SCHEMA).migrate().await;
    pool.close().await;
    migrated.map_err(|error| StoreError::Queue(error.to_string()))
}

impl ProjectCtx {
    /// Queues learning from reviews, after a delay by the database's clock.
    pub(crate) async fn enqueue(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        reviews: &[ReviewId],
        delay: Duration,
    ) -> Result<(), StoreError> {
        if reviews.is_empty() {
            return Ok(());
        }
        sqlx::query(include_str!("../../sql/jobs/enqueue.sql"))
            .bind(self.project)
            .bind(reviews)
            .bind(SHARES)
            .bind(delay.as_secs_f64())
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }

    pub(crate) async fn dequeue(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        review: ReviewId,
    ) -> Result<(), StoreError> {
        let removed = sqlx::query(include_str!("../../sql/jobs/remove.sql")).bind(self.project).bind(review);
        removed.execute(&mut **transaction).await?;
        Ok(())
    }

    /// Queues placing memories that have no vector.
    pub(crate) async fn enqueue_placing(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let queued = sqlx::query(include_str!("../../sql/jobs/place.sql"));
        queued.bind(self.project).bind(delay.as_secs_f64()).execute(&mut **transaction).await?;
        Ok(())
    }

    /// Placing memories has to wait for the embedder.
    pub async fn place_later(&self, delay: Duration) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        self.enqueue_placing(&mut transaction, delay).await?;
        self.commit(transaction).await
    }

    /// Queues what should have been queued and was not. Says how much that was.
    pub(crate) async fn requeue_orphans(&self) -> Result<u64, StoreError> {
        let mut transaction = self.write().await?;
        let orphans: Vec<ReviewId> = sqlx::query_scalar(include_str!("../../sql/jobs/orphans.sql"))
            .bind(self.project)
            .fetch_all(&mut *transaction)
            .await?;
        self.enqueue(&mut transaction, &orphans, Duration::ZERO).await?;
        transaction.commit().await?;
        Ok(orphans.len() as u64)
    }
}

impl Store {
    /// How many jobs wait or run, and for how long the oldest of those that are due has waited.
    pub async fn jobs_waiting(&self) -> Result<(i64, Duration), StoreError> {
        let counted = sqlx::query_as(include_str!("../../sql/maintenance/jobs_waiting.sql"));
        let (jobs, age): (i64, f64) = counted.fetch_one(&self.pools.reads).await?;
        Ok((jobs, Duration::from_secs_f64(age.max(0.0))))
    }
}
