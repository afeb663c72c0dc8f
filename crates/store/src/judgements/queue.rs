//! Runs that wait for the judge, and the judge's queue.

use std::time::Duration;

use reflect_types::{CrashPoint, TraceId};
use sqlx::FromRow;

use super::{JudgeIdentity, JudgementStore};
use crate::error::StoreError;
use crate::jobs;

/// A run without a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct JudgeCandidate {
    /// The run.
    pub trace_id: TraceId,
    /// Whether it has neither a judgement nor a job.
    pub waits: bool,
}

impl JudgementStore<'_> {
    /// A page of runs without a review, newest first: those before `before` and older than `age`.
    pub async fn candidates(
        &self,
        judge: &JudgeIdentity,
        before: Option<TraceId>,
        age: Duration,
        most: i64,
    ) -> Result<Vec<JudgeCandidate>, StoreError> {
        let mut transaction = self.db.read().await?;
        let page = sqlx::query_as(include_str!("../../sql/judgements/candidates.sql"))
            .bind(self.db.project)
            .bind(before)
            .bind(age.as_secs_f64())
            .bind(most)
            .bind(&judge.model)
            .bind(judge.rubric_digest.as_slice())
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(page)
    }

    /// How many runs are in the judge's queue.
    pub async fn queued(&self) -> Result<i64, StoreError> {
        let mut transaction = self.db.read().await?;
        let queued =
            sqlx::query_scalar(include_str!("../../sql/judgements/queued.sql")).bind(self.db.project);
        let queued = queued.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(queued)
    }

    /// Queues runs for the judge, after a delay by the database's clock. `failures` is the number of failed attempts.
    pub async fn enqueue(
        &self,
        traces: &[TraceId],
        failures: i16,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        jobs::enqueue_judging(&mut transaction, traces, failures, delay).await?;
        transaction.commit_at(CrashPoint::JudgeQueue).await
    }
}
