//! Verdicts on their way: what is sent, and what became of it.

use chrono::{DateTime, Utc};
use reflect_types::{ReviewId, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How long the server waits before it learns from a verdict, so that it can be taken back. As the console does.
pub(crate) const GRACE_SECONDS: u32 = 15;

/// What is said about a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Mail {
    Review {
        result: ReviewResult,
        feedback: Option<String>,
        replace: bool,
    },
    /// Takes back a review: this one, where it is known, so that nobody else's is touched.
    Withdraw {
        review: Option<ReviewId>,
    },
    Defer {
        seconds: u64,
        note: Option<String>,
    },
}

/// Something to be sent, with a key of its own, so that a repeat does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) trace: TraceId,
    pub(crate) mail: Mail,
}

/// What somebody else said about the same run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Theirs {
    pub(crate) reviewer: String,
    pub(crate) result: ReviewResult,
    pub(crate) at: DateTime<Utc>,
}

/// What became of sending one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    Done {
        review: Option<ReviewId>,
    },
    /// No answer, or not now: it stays and is tried again.
    Later {
        why: String,
    },
    /// Somebody else said something else.
    Conflict {
        theirs: Option<Theirs>,
    },
    Refused {
        why: String,
    },
}
