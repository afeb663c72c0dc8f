//! Progress of learning: drafts, cost, delays, failures.

use std::time::Duration;

use reflect_types::{CrashPoint, MemoryId, ReviewId, TraceId};
use serde_json::Value;

use super::LearningStore;
use crate::error::StoreError;
use crate::jobs;
use crate::lessons::{self, NewMemoryRow};

/// The cost of model calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelCost {
    /// Number of calls.
    pub calls: i32,
    /// Input tokens.
    pub input_tokens: i64,
    /// Output tokens.
    pub output_tokens: i64,
}

impl LearningStore<'_> {
    /// Stores a lesson with all situations of its run. Returns what the run created: its situation, or the one that absorbed
    /// it. `None` if the review was changed or another worker finished first.
    pub async fn finish(
        &self,
        trace: TraceId,
        review: ReviewId,
        memory: &NewMemoryRow,
    ) -> Result<Option<MemoryId>, StoreError> {
        let mut transaction = self.db.point_write().await?;
        let made = lessons::finish_alone(&mut transaction, trace, review, memory).await?;
        transaction.commit_at(CrashPoint::LearnFinish).await?;
        Ok(made)
    }

    /// Stores a draft and its cost. The commit does not wait for the disk: a process that dies loses nothing, and after
    /// a crash of the database server the model may be asked once more.
    pub async fn save_draft(
        &self,
        review: ReviewId,
        reflection: &Value,
        cost: ModelCost,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.relaxed_point_write().await?;
        sqlx::query(include_str!("../../sql/learning/save_draft.sql"))
            .bind(self.db.project)
            .bind(review)
            .bind(reflection)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        transaction.commit_at(CrashPoint::LearnDraft).await
    }

    /// Stores what a model said about near lessons, and its cost. As for a draft, a crash of the database server may lose it.
    pub async fn save_relations(
        &self,
        review: ReviewId,
        relations: &Value,
        cost: ModelCost,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.relaxed_point_write().await?;
        sqlx::query(include_str!("../../sql/learning/save_relations.sql"))
            .bind(self.db.project)
            .bind(review)
            .bind(relations)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }

    /// Records the cost of model calls without a result.
    pub async fn spend(&self, cost: ModelCost) -> Result<(), StoreError> {
        let mut transaction = self.db.point_write().await?;
        sqlx::query(include_str!("../../sql/learning/spend.sql"))
            .bind(self.db.project)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }

    /// The tokens of today, and the time until the day ends.
    pub async fn spent_today(&self) -> Result<(i64, Duration), StoreError> {
        let mut transaction = self.db.point_read().await?;
        let spent = sqlx::query_as(include_str!("../../sql/learning/spent.sql")).bind(self.db.project);
        let (tokens, rest): (i64, f64) = spent.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok((tokens, Duration::from_secs_f64(rest.max(0.0))))
    }

    /// Postpones learning from a review, with the reason. `failed` counts an attempt; waiting for a provider or for
    /// the next day does not.
    pub async fn postpone(
        &self,
        review: ReviewId,
        reason: &str,
        delay: Duration,
        failed: bool,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.point_write().await?;
        let postponed = sqlx::query(include_str!("../../sql/learning/postpone.sql"))
            .bind(self.db.project)
            .bind(review)
            .bind(storable(reason))
            .bind(i16::from(failed))
            .execute(&mut *transaction)
            .await?;
        if postponed.rows_affected() > 0 {
            jobs::enqueue_learning(&mut transaction, &[review], delay).await?;
        }
        transaction.commit_at(CrashPoint::LearnPostpone).await
    }

    /// Marks learning from a review as failed, with the reason.
    pub async fn fail(&self, review: ReviewId, reason: &str) -> Result<(), StoreError> {
        let mut transaction = self.db.point_write().await?;
        let failed = sqlx::query(include_str!("../../sql/learning/fail.sql"));
        failed.bind(self.db.project).bind(review).bind(storable(reason)).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// Retries learning from a failed run. Returns false if it did not fail.
    pub async fn retry(&self, trace: TraceId) -> Result<bool, StoreError> {
        let mut transaction = self.db.point_write().await?;
        let retried = sqlx::query_scalar(include_str!("../../sql/learning/retry.sql"));
        let review: Option<ReviewId> =
            retried.bind(self.db.project).bind(trace).fetch_optional(&mut *transaction).await?;
        if let Some(review) = review {
            jobs::enqueue_learning(&mut transaction, &[review], Duration::ZERO).await?;
        }
        transaction.commit().await?;
        Ok(review.is_some())
    }
}

/// Error texts of providers may contain NUL, which Postgres text does not allow.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
