//! The review queue: leases traces to reviewers.

use chrono::{DateTime, Utc};
use reflect_types::{Link, MemoryId, MemoryStatus, QueueOrder, TraceId};
use serde::{Deserialize, Serialize};

/// Which traces. Absent fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RunFilter {
    /// The model of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Each key must have this value, or a list that contains it. At most 20 keys.
    #[serde(deserialize_with = "crate::limited::filter", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// With this text in the task, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// With this signal, such as `tool_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether a judge has judged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<bool>,
}

/// Requests traces to review.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct NextReviews {
    /// How many, 1 to 20. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 20))]
    pub count: Option<u32>,
    /// The order. Default: `informative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<QueueOrder>,
    /// For how many seconds the traces are leased to the caller, 1 to 900. Default: 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// Do not return these traces, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub skip: Option<Vec<String>>,
    /// Whether to return the caller's own leased traces first and renew their leases. Otherwise they are not returned.
    pub renew: bool,
    /// The reviewer's name, at most 100 characters, if several people share one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Only traces that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<RunFilter>,
    /// The same as a text such as `model:gpt-5 signal:tool_error refund`, at most 1000 characters. It can be combined
    /// with `filter`; both must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// Traces to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTraces {
    /// The best first. Empty if no trace is available to the caller.
    pub items: Vec<QueuedTrace>,
    /// How many more are available to the caller, counted up to 10,000.
    pub remaining: u64,
}

/// A trace to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then it is leased to the caller.
    pub leased_until: DateTime<Utc>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The model of the run.
    pub model: Option<String>,
    /// How the memories of the run were determined.
    pub link: Link,
    /// Who deferred it, if the deferral has ended.
    pub deferred_by: Option<String>,
    /// The note of that deferral.
    pub deferred_note: Option<String>,
    /// How informative a review is: the sum of the reasons' weights.
    pub score: f64,
    /// The reasons for its place in the queue, largest weight first.
    pub reasons: Vec<QueueReason>,
    /// A summary of the run.
    pub digest: TraceDigest,
}

/// A reason for a place in the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueReason {
    /// `thin_evidence`, `conflicting_outcomes`, `judge_disagrees`, `no_near_memory` or `age`.
    pub reason: String,
    /// The weight.
    pub weight: f64,
}

/// A summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceDigest {
    /// The task, at most 6 lines and 1,000 characters.
    pub task: String,
    /// Whether it is truncated.
    pub task_is_cut: bool,
    /// The agent's answer, at most 20 lines and 4,000 characters.
    pub answer: String,
    /// Whether it is truncated.
    pub answer_is_cut: bool,
    /// The steps. Null if the trajectory is too large.
    pub steps: Option<DigestSteps>,
    /// Signals that were found without a model.
    pub signals: Vec<RunSignal>,
    /// The memories of the run, at most 20, with the effect of a review on each.
    pub memories: Vec<DigestMemory>,
}

/// The steps of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestSteps {
    /// How many there are.
    pub total: u64,
    /// How many of each kind: `system`, `user`, `assistant`, `reasoning`, `tool_call`, `tool_result`, `other`.
    pub by_kind: std::collections::BTreeMap<String, u64>,
    /// The titles of the steps. If there are more than 60: the first and the last 30.
    pub listed: Vec<DigestStep>,
}

/// One step in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestStep {
    /// The step's number, from 1.
    pub step: u64,
    /// The number of its message, from 1. A message can have several steps.
    pub message: u64,
    /// The kind of step.
    pub kind: String,
    /// What happened, at most 120 characters.
    pub title: String,
    /// Whether a tool failed.
    pub failed: bool,
}

/// A signal in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunSignal {
    /// `tool_error`, `exception`, `repeated_call`, `empty_answer`, `interrupted`, `short_answer`, `long_answer`,
    /// `many_messages`, `slow`, `costly` or `degraded_retrieval`.
    pub signal: String,
    /// How often it occurs.
    pub count: u64,
    /// The first step with the signal, if it belongs to a step.
    pub step: Option<u64>,
}

/// A memory of a run, and the effect of a review on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestMemory {
    /// The memory.
    pub id: MemoryId,
    /// The lesson in one line.
    pub summary: String,
    /// The status: whether it may be served.
    pub status: MemoryStatus,
    /// The utility now.
    pub q_value: f32,
    /// The utility after a pass, with the default `alpha`.
    pub q_value_after_pass: f32,
    /// The utility after a fail.
    pub q_value_after_fail: f32,
    /// The number of reviews behind its credit.
    pub evidence: i32,
}

/// Renews or releases leases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeLeases {
    /// The traces, at most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub trace_ids: Vec<String>,
    /// For how many seconds from now, 1 to 900. Default: 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// Release the leases instead.
    #[serde(default)]
    pub release: bool,
    /// The reviewer's name, at most 100 characters, if several people share one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
}

/// The leases that the caller still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldLeases {
    /// A missing trace is leased to another reviewer, has a review, or was deleted.
    pub held: Vec<QueueLease>,
}

/// A lease of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueLease {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then the trace is leased.
    pub leased_until: DateTime<Utc>,
}

/// Defers a trace. Either `seconds` or `until` is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct DeferTrace {
    /// For how many seconds, at most 90 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Until this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// The reason, or who should review it, at most 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The reviewer's name, at most 100 characters, if several people share one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
}

/// Whether a trace is deferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeferredTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then the queue does not return it. Null if it is not deferred.
    pub deferred_until: Option<DateTime<Utc>>,
    /// Who deferred it.
    pub deferred_by: Option<String>,
    /// The reason.
    pub note: Option<String>,
}

/// The state of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewQueue {
    /// Traces that are available to every reviewer, counted up to 10,000.
    pub pending: u64,
    /// Traces that are leased.
    pub leased: u64,
    /// Traces that are deferred.
    pub deferred: u64,
    /// The age of the oldest pending trace, in seconds. Null if there is none.
    pub oldest_pending_seconds: Option<f64>,
    /// Reviews by people today (UTC) of stored traces that still count, counted up to 10,000.
    pub reviewed_today: u64,
}
