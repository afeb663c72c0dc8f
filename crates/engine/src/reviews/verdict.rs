//! A review as a client sends it.

use std::time::Duration;

use reflect_types::{Alpha, ReviewResult, TraceId};

use crate::lessons::AuthoredLesson;

/// A review of a stored trace.
#[derive(Debug, Clone)]
pub struct ReviewRequest {
    /// The result.
    pub result: ReviewResult,
    /// The feedback.
    pub feedback: Option<String>,
    /// The learning rate.
    pub alpha: Option<Alpha>,
    /// A lesson that comes with the review.
    pub authored: Option<AuthoredLesson>,
    /// Whether it may replace another review.
    pub replace: bool,
    /// How long learning is delayed, to allow a withdrawal before it has an effect.
    pub grace: Duration,
    /// The name of the reviewer, if several use the same key.
    pub reviewer: Option<String>,
}

/// A review in a batch.
#[derive(Debug, Clone)]
pub struct TraceReviewRequest {
    /// The trace; `None` if the id is not valid.
    pub trace: Option<TraceId>,
    /// The review.
    pub verdict: ReviewRequest,
}
