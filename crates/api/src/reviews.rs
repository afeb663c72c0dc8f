//! Reviews: the result of a trace.

use chrono::{DateTime, Utc};
use reflect_types::{Alpha, IngestStatus, MemoryId, ReviewId, ReviewMode, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};

use crate::error::ErrorDetail;

/// A review that is sent together with its trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InlineReview {
    /// `pass` or `fail`. `success` and `failure` are accepted too.
    pub result: ReviewResult,
    /// What was right or wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far this review moves the utility of the memories that were used. Default: 0.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote. No model is then called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<AuthoredReflection>,
    /// When the run was reviewed, if it is imported: not before the time in `trace_id`, and not in the future. Keys that
    /// are untrusted cannot set it. Default: now.
    #[serde(
        default,
        deserialize_with = "crate::limited::bounded_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub reviewed_at: Option<DateTime<Utc>>,
}

/// A review of a stored trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewTrace {
    /// `pass` or `fail`. `success` and `failure` are accepted too.
    pub result: ReviewResult,
    /// What was right or wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far this review moves the utility of the memories that were used. Default: 0.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote. No model is then called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<AuthoredReflection>,
    /// Whether this review may replace an existing one. Otherwise a different second review is refused
    /// with 409.
    #[serde(default)]
    pub replace: bool,
    /// How many seconds learning waits, 0 to 300. Default: 0. Until then the review can be withdrawn before a model
    /// is called. With a grace period the call does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 300))]
    pub grace_seconds: Option<u32>,
    /// The reviewer's name, at most 100 characters, if several people share one key.
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
#[serde(from = "crate::flat::FlatReview")]
pub struct ReviewOfTrace {
    /// The trace.
    pub trace_id: String,
    /// The review.
    #[serde(flatten)]
    pub review: ReviewTrace,
}

/// One result for each review of a batch, in the order of the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewsAnswer {
    /// As many as were sent.
    pub results: Vec<ReviewItem>,
}

/// The result of one review of a batch: accepted or refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ReviewItem {
    /// Accepted. Learning happens later: get the trace with `wait`.
    Taken {
        /// The trace.
        trace_id: TraceId,
        /// The state of learning.
        ingest_status: IngestStatus,
        /// The memory, if it already exists.
        created_memory_id: Option<MemoryId>,
        /// The review.
        review: Option<Review>,
    },
    /// Refused.
    Refused {
        /// Why it was refused.
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
    /// The tools or areas that the lesson is about.
    pub applicable_tools: Vec<String>,
}

/// A review of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Review {
    /// The review's id.
    pub id: ReviewId,
    /// The trace.
    pub trace_id: TraceId,
    /// The result.
    pub result: ReviewResult,
    /// What was right or wrong.
    pub feedback_text: Option<String>,
    /// How the review was sent.
    pub mode: ReviewMode,
    /// How far it moves the utility of the memories that were used.
    pub alpha: f32,
    /// The reviewer: the key, followed by the name that the caller sent.
    #[serde(default)]
    pub reviewer: String,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When learning starts, if a grace period was requested. Until then the review can be withdrawn at no cost.
    #[serde(default)]
    pub learns_at: Option<DateTime<Utc>>,
}
