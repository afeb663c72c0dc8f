//! What became of a memory: reviews and care, runs that had it, memories near to it.

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, MemoryStatus, ReviewId, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// What moved a memory and what was done to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryHistory {
    /// The memory.
    pub memory_id: MemoryId,
    /// Oldest first, the last 1000 at most.
    pub steps: Vec<HistoryStep>,
    /// How many there were before these.
    pub left_off: usize,
}

/// One review that moved a memory, or one thing that was done to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryStep {
    /// When.
    pub at: DateTime<Utc>,
    /// The utility before it.
    pub q_before: f32,
    /// The utility after it; the same when it moved none, as when it was withdrawn.
    pub q_after: f32,
    /// The credit before it; null while it has not moved any.
    pub credit_before: Option<f32>,
    /// The credit after it.
    pub credit_after: Option<f32>,
    /// The evidence before it.
    pub evidence_before: Option<i32>,
    /// The evidence after it.
    pub evidence_after: Option<i32>,
    /// The review, when it is one.
    pub review: Option<HistoryReview>,
    /// What was done, when it is that.
    pub care: Option<HistoryCare>,
}

/// A review that moved a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryReview {
    /// The review.
    pub review_id: ReviewId,
    /// The run it was about; null when that was deleted.
    pub trace_id: Option<TraceId>,
    /// Its result.
    pub result: ReviewResult,
    /// Who gave it.
    pub reviewer: Option<String>,
    /// Whether the run made use of the memory, when that is known.
    pub used: Option<bool>,
    /// How likely the run was to pass anyway, when that is known.
    pub expected: Option<f32>,
    /// Whether it counts no more.
    pub withdrawn: bool,
}

/// Something that was done to a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryCare {
    /// The action.
    pub action_id: Uuid,
    /// What, in the word of the audit log.
    pub kind: String,
    /// Who.
    pub actor: String,
    /// What of the memory: `presence`, `quarantined`, `pinned`, `version`, `evidence` (halved) or `pooled`.
    pub facet: String,
    /// What it was.
    pub before: Value,
    /// What it became.
    pub after: Value,
    /// Whether it was undone.
    pub undone: bool,
}

/// A reviewed run that had a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryUse {
    /// The review.
    pub review_id: ReviewId,
    /// The run; null when it was deleted.
    pub trace_id: Option<TraceId>,
    /// Its task, while it is kept.
    pub task: Option<String>,
    /// What the review said.
    pub result: ReviewResult,
    /// Whether the run made use of the memory, when that is known.
    pub used: Option<bool>,
    /// The memory's place on the receipt, from 1, while that is kept.
    pub rank: Option<i32>,
    /// How similar its task was.
    pub similarity: Option<f32>,
    /// The utility before the review.
    pub q_before: f32,
    /// The utility after it.
    pub q_after: f32,
    /// When.
    pub at: DateTime<Utc>,
}

/// A memory whose task is near to that of another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryNeighbour {
    /// Its id.
    pub id: MemoryId,
    /// How similar the tasks are.
    pub similarity: f32,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Its task.
    pub task: String,
    /// Its lesson.
    pub reflection: String,
    /// Its utility.
    pub q_value: f32,
    /// Its credit.
    pub credit: f32,
    /// How many reviews that rests on.
    pub evidence: i32,
}
