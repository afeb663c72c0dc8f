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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far this review moves the utilities of the memories that were used; 0.3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote itself, so that no model has to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<AuthoredReflection>,
}

/// A review of a trace that is stored already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewTrace {
    /// `pass` or `fail`; `success` and `failure` are taken too.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far this review moves the utilities of the memories that were used; 0.3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote itself, so that no model has to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<AuthoredReflection>,
    /// Whether this review may take the place of another one. Without it, a second review that says
    /// something else is refused with 409.
    #[serde(default)]
    pub replace: bool,
    /// How many seconds learning waits, 0 to 300, so that the review can be taken back before a model was asked; 0
    /// when absent. With a grace the call does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 300))]
    pub grace_seconds: Option<u32>,
    /// Who reviews, up to 100 characters, where several people use one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
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
    /// Who gave it: the key, and below it whoever the caller named.
    #[serde(default)]
    pub reviewer: String,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When learning from it begins, where a grace was asked for. Until then it can be taken back at no cost.
    #[serde(default)]
    pub learns_at: Option<DateTime<Utc>>,
}
