//! What a reviewer submits about a run, and the result of sending it.

use chrono::{DateTime, Utc};
use reflect_types::{ReviewId, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How long the server waits before it learns from a verdict, which leaves time to undo it. Same as in the console.
pub(crate) const GRACE_SECONDS: u32 = 15;

/// What a reviewer submits. Stored in the outbox, so the serialized form must stay readable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Submission {
    Review {
        result: ReviewResult,
        feedback: Option<String>,
        replace: bool,
    },
    /// Withdraws a review. With an id, only that review: another reviewer may have replaced it.
    Withdraw {
        review: Option<ReviewId>,
    },
    Defer {
        seconds: u64,
        note: Option<String>,
    },
}

/// A submission that is not confirmed yet. The id is its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutboxEntry {
    pub(crate) id: Uuid,
    pub(crate) trace: TraceId,
    // The name in files that earlier versions wrote.
    #[serde(rename = "mail")]
    pub(crate) submission: Submission,
}

/// The review of another reviewer on the same run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExistingReview {
    pub(crate) reviewer: String,
    pub(crate) result: ReviewResult,
    pub(crate) at: DateTime<Utc>,
}

/// The result of sending a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    Accepted {
        review: Option<ReviewId>,
    },
    /// No response, or a temporary error: the entry stays in the outbox and is retried.
    Retry {
        message: String,
    },
    /// The run has another verdict.
    Conflict {
        existing: Option<ExistingReview>,
    },
    Rejected {
        message: String,
    },
}
