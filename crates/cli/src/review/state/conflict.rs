//! A verdict that the server rejected because the trace already has a different review: another result or feedback.

use reflect_types::{ReviewResult, TraceId};

use crate::review::submission::ExistingReview;

/// A rejected verdict. The reviewer can replace the existing review or keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) trace: TraceId,
    /// The review on the server, if it could be read.
    pub(crate) existing: Option<ExistingReview>,
    /// The rejected verdict.
    pub(crate) result: ReviewResult,
    /// The feedback of the rejected verdict.
    pub(crate) feedback: Option<String>,
}
