//! Which runs wait for a judge, and the queue they stand in.

use std::time::Duration;

use reflect_types::{ProjectId, TraceId};
use serde_json::Value;
use sqlx::FromRow;

use super::JudgeIdentity;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;

/// A run that nobody has reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct JudgeCandidate {
    /// The run.
    pub trace_id: TraceId,
    /// Whether the judge has not dealt with it and is not about to.
    pub waits: bool,
}

impl Store {
    /// Every project whose judge is switched on, with its settings.
    pub async fn judging_projects(&self) -> Result<Vec<(ProjectId, Value)>, StoreError> {
        let projects = sqlx::query_as(include_str!("../../sql/catalogue/list_judging.sql"));
        Ok(projects.fetch_all(&self.pools.reads).await?)
    }
}

impl ProjectCtx {
    /// A page of the runs that nobody has reviewed, newest first: those before `before`, and older than `age`.
    pub async fn judge_candidates(
        &self,
        judge: &JudgeIdentity,
        before: Option<TraceId>,
        age: Duration,
        most: i64,
    ) -> Result<Vec<JudgeCandidate>, StoreError> {
        let mut transaction = self.read().await?;
        let page = sqlx::query_as(include_str!("../../sql/judgements/candidates.sql"))
            .bind(self.project)
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

    /// How many runs stand in the judge's queue.
    pub async fn judge_jobs(&self) -> Result<i64, StoreError> {
        let mut transaction = self.read().await?;
        let queued = sqlx::query_scalar(include_str!("../../sql/judgements/queued.sql")).bind(self.project);
        let queued = queued.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(queued)
    }

    /// Queues runs for the judge, after a delay by the database's clock. `failures` says how often it was tried.
    pub async fn queue_for_judge(
        &self,
        traces: &[TraceId],
        failures: i16,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../../sql/judgements/enqueue.sql"))
            .bind(self.project)
            .bind(traces)
            .bind(failures)
            .bind(delay.as_secs_f64())
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }
}
