//! On the way: what was paid for is kept, what has to wait waits, what cannot be done says why.

use std::time::Duration;

use reflect_types::{ReviewId, TraceId};
use serde_json::Value;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// What models were paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// How many times they were asked.
    pub calls: i32,
    /// Tokens that were read.
    pub input_tokens: i64,
    /// Tokens that were written.
    pub output_tokens: i64,
}

impl ProjectCtx {
    /// Keeps a reflection the moment it was paid for.
    pub async fn keep_draft(
        &self,
        review: ReviewId,
        reflection: &Value,
        cost: Cost,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../../sql/learning/keep_draft.sql"))
            .bind(self.project)
            .bind(review)
            .bind(reflection)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }

    /// Notes what models were paid for without a reflection to show for it.
    pub async fn spend(&self, cost: Cost) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../../sql/learning/spend.sql"))
            .bind(self.project)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }

    /// How many tokens models were paid for today, and how long today still lasts.
    pub async fn spent_today(&self) -> Result<(i64, Duration), StoreError> {
        let mut transaction = self.read().await?;
        let spent = sqlx::query_as(include_str!("../../sql/learning/spent.sql")).bind(self.project);
        let (tokens, rest): (i64, f64) = spent.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok((tokens, Duration::from_secs_f64(rest.max(0.0))))
    }

    /// Learning from this review has to wait, and its run says why. A failure counts against it; waiting
    /// for a provider, or for another day, does not.
    pub async fn postpone(
        &self,
        review: ReviewId,
        reason: &str,
        delay: Duration,
        failed: bool,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let postponed = sqlx::query(include_str!("../../sql/learning/postpone.sql"))
            .bind(self.project)
            .bind(review)
            .bind(storable(reason))
            .bind(i16::from(failed))
            .execute(&mut *transaction)
            .await?;
        if postponed.rows_affected() > 0 {
            self.enqueue(&mut transaction, &[review], delay).await?;
        }
        self.commit(transaction).await
    }

    /// Learning from this review is given up, and its run says why.
    pub async fn give_up(&self, review: ReviewId, reason: &str) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let failed = sqlx::query(include_str!("../../sql/learning/fail.sql"));
        failed.bind(self.project).bind(review).bind(storable(reason)).execute(&mut *transaction).await?;
        self.commit(transaction).await
    }

    /// A run that was given up on is tried again. False when there is nothing to try again.
    pub async fn retry_learning(&self, trace: TraceId) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let retried = sqlx::query_scalar(include_str!("../../sql/learning/retry.sql"));
        let review: Option<ReviewId> =
            retried.bind(self.project).bind(trace).fetch_optional(&mut *transaction).await?;
        if let Some(review) = review {
            self.enqueue(&mut transaction, &[review], Duration::ZERO).await?;
        }
        self.commit(transaction).await?;
        Ok(review.is_some())
    }
}

/// A provider's words may hold anything; Postgres text has no NUL.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
