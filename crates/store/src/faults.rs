//! Deliberate defects for fault runs. Not in release builds.

use std::time::Duration;

use crate::error::StoreError;
use crate::transaction::PooledTransaction;

/// Commits some time after the client was answered.
pub(crate) fn commit_later(transaction: PooledTransaction) {
    later(async move { Ok(transaction.commit().await?) });
}

/// Runs work some time after it was reported as done.
#[expect(clippy::disallowed_methods, reason = "a task that is not awaited is the fault")]
pub(crate) fn later(work: impl Future<Output = Result<(), StoreError>> + Send + 'static) {
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if let Err(error) = work.await {
            tracing::warn!(%error, "the late work of the fault run failed");
        }
    });
}

/// Claims the oldest jobs of all projects.
pub(crate) const CLAIM_OLDEST_JOBS: &str = include_str!("../sql/jobs/mutant_claim.sql");

/// Removes jobs that were queued again while they ran.
pub(crate) const LOSE_REPEATED_JOBS: &str = include_str!("../sql/jobs/mutant_finish.sql");

/// Gives the memories of a lesson one credit.
pub(crate) const POOL_CREDIT: &str = include_str!("../sql/lessons/mutant_pool.sql");

/// Stores OpenTelemetry spans without their own ids.
pub(crate) const STAGE_SPANS_AGAIN: &str = include_str!("../sql/spans/mutant_add_parts.sql");

/// Forgets runs of OpenTelemetry spans as soon as they have ended.
pub(crate) const FORGET_ENDED_RUNS: &str = include_str!("../sql/spans/mutant_end_run.sql");
