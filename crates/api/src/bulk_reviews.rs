//! One review for many traces.

use reflect_types::{Alpha, ReviewResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::review_queue::RunFilter;

/// Gives many traces the same review, as one action. Either `trace_ids`, or `filter` and `q`, select them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewInBulk {
    /// These traces, at most 1000. Unknown or invalid ids are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub trace_ids: Option<Vec<String>>,
    /// The newest 1000 pending traces that match this filter and are neither deferred nor leased by another reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<RunFilter>,
    /// The same as a text such as `model:gpt-5 signal:tool_error refund`, at most 1000 characters. It can be combined
    /// with `filter`; both must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// `pass` or `fail`. `success` and `failure` are accepted too.
    pub result: ReviewResult,
    /// What was right or wrong with all of them. Required for a fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_text: Option<String>,
    /// How far each review moves the utility of the memories that were used. Default: 0.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Alpha>,
    /// How many seconds learning waits, 0 to 300. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 300))]
    pub grace_seconds: Option<u32>,
    /// The reviewer's name, at most 100 characters, if several people share one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Return what would happen, but change nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// The result of a review of many traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkReviewed {
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// The action that can undo all of it. Null if nothing changed.
    pub action_id: Option<Uuid>,
    /// Traces that get the review.
    pub traces: u64,
    /// Traces that do not get it, because they already have a review or do not exist.
    pub skipped: u64,
    /// Traces that match the filter but exceed the limit of 1000.
    pub left: u64,
    /// Memories whose utility changes.
    pub utilities: u64,
    /// The largest number of lessons that a model will write. 0 if no model is configured.
    pub reflections: u64,
    /// An upper estimate of the tokens for these lessons.
    pub tokens: u64,
}
