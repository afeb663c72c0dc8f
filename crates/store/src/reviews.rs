//! Reviews: the verdict on a run.

use chrono::{DateTime, Utc};
use reflect_types::{Alpha, ReviewId, ReviewMode, ReviewResult, TraceId};
use sqlx::{Postgres, Transaction};

use crate::error::{StoreError, violates};
use crate::project_ctx::ProjectCtx;

/// A verdict to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: Alpha,
    /// How it reached us.
    pub mode: ReviewMode,
    /// Who judged.
    pub reviewer: String,
    /// A lesson that came with it.
    pub authored: Option<serde_json::Value>,
}

/// A stored verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRow {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: f32,
    /// How it reached us.
    pub mode: ReviewMode,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

impl ProjectCtx {
    pub(crate) async fn insert_review(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        trace: TraceId,
        review: &NewReview,
    ) -> Result<(), StoreError> {
        let inserted = sqlx::query(include_str!("../sql/reviews/insert.sql"))
            .bind(self.project)
            .bind(review.review_id)
            .bind(trace)
            .bind(review.result == ReviewResult::Pass)
            .bind(&review.feedback)
            .bind(review.alpha.get())
            .bind(review.mode.code())
            .bind(&review.reviewer)
            .bind(&review.authored)
            .execute(&mut **transaction)
            .await;
        match inserted {
            Ok(_) => Ok(()),
            Err(error) if violates(&error, "project_id_trace_id") => {
                Err(StoreError::Conflict { what: "the trace has a review already" })
            }
            Err(error) => Err(error.into()),
        }
    }
}
