//! Reviews: the verdict on a run.

use chrono::{DateTime, Utc};
use reflect_types::{Alpha, IngestStatus, MemoryId, ReviewId, ReviewMode, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};

use crate::ErrorDetail;

/// A review that comes together with its trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InlineReview {
    /// `pass` or `fail`; `success` and `failure` are taken too.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    #[serde(default)]
    pub feedback_text: Option<String>,
    /// How far this review moves the utilities of the memories that were used; 0.3 when absent.
    #[serde(default)]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote itself, so that no model has to.
    #[serde(default)]
    pub reflection: Option<AuthoredReflection>,
}

/// A review of a trace that is stored already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewTrace {
    /// `pass` or `fail`; `success` and `failure` are taken too.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    #[serde(default)]
    pub feedback_text: Option<String>,
    /// How far this review moves the utilities of the memories that were used; 0.3 when absent.
    #[serde(default)]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote itself, so that no model has to.
    #[serde(default)]
    pub reflection: Option<AuthoredReflection>,
    /// Whether this review may take the place of another one. Without it, a second review that says
    /// something else is refused with 409.
    #[serde(default)]
    pub replace: bool,
}

/// Reviews many traces in one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewTraces {
    /// At most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub reviews: Vec<ReviewOfTrace>,
}

/// One review of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewOfTrace {
    /// The trace it judges.
    pub trace_id: String,
    /// The review.
    #[serde(flatten)]
    pub review: ReviewTrace,
}

/// One answer for each review of a batch, in the order they were sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewsAnswer {
    /// As many as were sent.
    pub results: Vec<ReviewItem>,
}

/// What became of one review of a batch: it was taken or refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ReviewItem {
    /// Taken. What is learned from it comes later: ask for the trace with `wait`.
    Taken {
        /// The trace it judges.
        trace_id: TraceId,
        /// How far learning from it has come.
        ingest_status: IngestStatus,
        /// The memory, when there is one already.
        created_memory_id: Option<MemoryId>,
        /// The review.
        review: Option<Review>,
    },
    /// Not taken, for this reason.
    Refused {
        /// What was wrong with it.
        error: ErrorDetail,
    },
}

/// A lesson written by the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct AuthoredReflection {
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas the lesson is about.
    pub applicable_tools: Vec<String>,
}

/// A verdict on a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Review {
    /// The review's id.
    pub id: ReviewId,
    /// The trace it judges.
    pub trace_id: TraceId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback_text: Option<String>,
    /// How it reached us.
    pub mode: ReviewMode,
    /// How far it moves the utilities of the memories that were used.
    pub alpha: f32,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}
