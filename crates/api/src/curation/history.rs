//! The history of a memory, its uses and its neighbours.

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, MemoryStatus, ReviewId, ReviewResult, TraceId, UseSource};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The reviews and changes of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryHistory {
    /// The memory.
    pub memory_id: MemoryId,
    /// The last 1000, oldest first.
    pub steps: Vec<HistoryStep>,
    /// How many earlier ones are omitted.
    pub left_off: usize,
}

/// One review that moved a memory, or one change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryStep {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The utility before.
    pub q_before: f32,
    /// The utility after. The same if it did not move, for example because the review was withdrawn.
    pub q_after: f32,
    /// The credit before. Null if it did not move the credit.
    pub credit_before: Option<f32>,
    /// The credit after.
    pub credit_after: Option<f32>,
    /// The evidence before.
    pub evidence_before: Option<i32>,
    /// The evidence after.
    pub evidence_after: Option<i32>,
    /// The review, if it is one.
    pub review: Option<HistoryReview>,
    /// The change, if it is one.
    pub care: Option<HistoryCuration>,
}

/// A review that moved a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryReview {
    /// The review.
    pub review_id: ReviewId,
    /// The trace. Null if it was deleted.
    pub trace_id: Option<TraceId>,
    /// The result.
    pub result: ReviewResult,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// Whether the run used the memory, if known.
    pub used: Option<bool>,
    /// How this is known.
    #[serde(default)]
    pub used_by: Option<UseSource>,
    /// The expected pass rate of the run, if known.
    pub expected: Option<f32>,
    /// Whether it no longer counts.
    pub withdrawn: bool,
}

/// A change of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = HistoryCare))]
pub struct HistoryCuration {
    /// The action.
    pub action_id: Uuid,
    /// The kind, as in the audit log.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// What changed: `presence`, `quarantined`, `pinned`, `version`, `evidence` (halved), `pooled` or `lesson`.
    pub facet: String,
    /// The value before.
    pub before: Value,
    /// The value after.
    pub after: Value,
    /// Whether it was undone.
    pub undone: bool,
}

/// A reviewed trace that had a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryUse {
    /// The review.
    pub review_id: ReviewId,
    /// The trace. Null if it was deleted.
    pub trace_id: Option<TraceId>,
    /// The trace's task, if still stored.
    pub task: Option<String>,
    /// The result of the review.
    pub result: ReviewResult,
    /// Whether the run used the memory, if known.
    pub used: Option<bool>,
    /// The memory's rank on the receipt, from 1, if still stored.
    pub rank: Option<i32>,
    /// The similarity of the tasks.
    pub similarity: Option<f32>,
    /// The utility before the review.
    pub q_before: f32,
    /// The utility after the review.
    pub q_after: f32,
    /// When it was reviewed.
    pub at: DateTime<Utc>,
}

/// A memory with a similar task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryNeighbour {
    /// The memory's id.
    pub id: MemoryId,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// The status: whether it may be served.
    pub status: MemoryStatus,
    /// Its task.
    pub task: String,
    /// Its lesson.
    pub reflection: String,
    /// Its value under the project's ranking.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub utility: f32,
    /// The number of the classic ranking.
    pub q_value: f32,
    /// Its credit.
    pub credit: f32,
    /// The number of reviews behind the credit.
    pub evidence: i32,
}
