//! One review for many traces.

use reflect_types::{Alpha, ReviewResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::RunFilter;

/// Reviews many traces alike, as one action. Either `trace_ids` or `filter` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewInBulk {
    /// These traces, at most 1000; ids that are unknown or no ids at all are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub trace_ids: Option<Vec<String>>,
    /// The newest 1000 that wait for a review, pass this filter and are neither deferred nor leased by somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<RunFilter>,
    /// `pass` or `fail`; `success` and `failure` are taken too.
    pub result: ReviewResult,
    /// What was right or wrong with all of them, in words. A fail needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far these reviews move the utilities of the memories that were used; 0.3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// How many seconds learning waits, 0 to 300; 0 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 300))]
    pub grace_seconds: Option<u32>,
    /// Who reviews, up to 100 characters, where several people use one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Says what would happen, and does nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// What a review of many traces did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkReviewed {
    /// Whether nothing was done.
    pub dry_run: bool,
    /// By which all of it can be undone; null when nothing was done.
    pub action_id: Option<Uuid>,
    /// Traces that get the review.
    pub traces: u64,
    /// Traces that do not, because they have one already or are not there.
    pub skipped: u64,
    /// Traces that pass the filter and are beyond the first 1000.
    pub left: u64,
    /// Memories whose utility moves.
    pub utilities: u64,
    /// Lessons that a model is asked to write, at most; 0 while no model is configured.
    pub reflections: u64,
    /// How many tokens those cost, about and at most.
    pub tokens: u64,
}
