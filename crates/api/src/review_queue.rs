//! The review queue: gives traces without a review to reviewers.
//!
//! A lease reserves a trace for one reviewer: until it ends, the queue does not give the trace to others. It does not
//! prevent others from reviewing the trace.

use chrono::{DateTime, Utc};
use reflect_types::{Link, MemoryId, MemoryStatus, QueueOrder, TraceId};
use serde::{Deserialize, Serialize};

/// Selects traces that wait for a review. All given fields must match; an absent field matches every trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RunFilter {
    /// The exact name of the model of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The metadata of the run: each of these keys must have this value, or a list that contains it. At most 20 keys.
    #[serde(deserialize_with = "crate::limited::filter", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// A text that the task must contain, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// A signal that the run must have, such as `tool_error`: a hint about the run that the server finds in its data
    /// without a model. See `RunSignal` for all signals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether a judge, a model that reviews traces, has given its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<bool>,
}

/// Requests traces to review, and leases them to the caller.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct NextReviews {
    /// How many traces, 1 to 20. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 20))]
    pub count: Option<u32>,
    /// Which traces come first. Default: `informative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<QueueOrder>,
    /// For how many seconds the traces are leased to the caller, 1 to 900. Default: 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// The ids of traces that are not returned, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub skip: Option<Vec<String>>,
    /// Whether to return traces first that are already leased to the caller, and renew their leases. Default: false,
    /// which does not return them.
    pub renew: bool,
    /// The reviewer's name, at most 100 characters, if several people share one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Return only traces that match this filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<RunFilter>,
    /// A filter as a text such as `model:gpt-5 signal:tool_error refund`, at most 1000 characters. Words without a
    /// field are searched in the task. If `filter` is also sent, both must match, and a field must not be in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// Traces to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTraces {
    /// The traces, in the requested order. Empty if no trace is available to the caller.
    pub items: Vec<QueuedTrace>,
    /// How many more traces are available to the caller, counted up to 10,000.
    pub remaining: u64,
}

/// A trace to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// When the lease of the caller ends.
    pub leased_until: DateTime<Utc>,
    /// When the trace was stored.
    pub created_at: DateTime<Utc>,
    /// The model of the run.
    pub model: Option<String>,
    /// How the server knows which memories the run received.
    pub link: Link,
    /// The reviewer who deferred the trace, if that deferral has expired. Null otherwise.
    pub deferred_by: Option<String>,
    /// The note of that reviewer.
    pub deferred_note: Option<String>,
    /// How much a review of this trace is expected to teach: the sum of the weights in `reasons`.
    pub score: f64,
    /// Why a review of this trace is informative, largest weight first. The order `informative` sorts by their sum.
    pub reasons: Vec<QueueReason>,
    /// A summary of the run.
    pub digest: TraceDigest,
}

/// A reason why a review of a trace is informative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueReason {
    /// `thin_evidence`: the memories of the run have few reviews. `conflicting_outcomes`: runs with these memories
    /// both passed and failed. `judge_disagrees`: a judge is unsure, could not decide, or contradicts the signals of
    /// the run. `no_near_memory`: no memory was found for the task. `age`: how long the trace has waited.
    pub reason: String,
    /// How much this reason adds to the score: at most 1.0, `no_near_memory` at most 0.6, `age` at most 0.4.
    pub weight: f64,
}

/// A summary of a run: what a reviewer reads first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceDigest {
    /// The task, at most 6 lines and 1,000 characters.
    pub task: String,
    /// Whether the task is longer than this.
    pub task_is_cut: bool,
    /// The agent's answer, at most 20 lines and 4,000 characters.
    pub answer: String,
    /// Whether the answer is longer than this.
    pub answer_is_cut: bool,
    /// The steps of the run. Null if the trajectory is too large to read here.
    pub steps: Option<DigestSteps>,
    /// The signals of the run: hints, such as a tool error, that the server finds without a model.
    pub signals: Vec<RunSignal>,
    /// The memories that the run received, at most 20, with the effect of a review on each.
    pub memories: Vec<DigestMemory>,
}

/// The steps of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestSteps {
    /// How many steps the run has.
    pub total: u64,
    /// How many steps of each kind. The kinds are `system`, `user`, `assistant`, `reasoning`, `tool_call`,
    /// `tool_result` and `other`: an error outside of a tool, memories that the agent was shown, or a message of an
    /// unknown form. A kind that does not occur is absent.
    pub by_kind: std::collections::BTreeMap<String, u64>,
    /// The steps, one line each. If there are more than 60: the first 30 and the last 30.
    pub listed: Vec<DigestStep>,
}

/// One step in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestStep {
    /// The step's number, from 1.
    pub step: u64,
    /// The number of the message in the trajectory, from 1. A message can have several steps.
    pub message: u64,
    /// The kind of the step, as in `by_kind`.
    pub kind: String,
    /// The first line of the step's text, at most 120 characters, after the name of the tool if it has one.
    pub title: String,
    /// Whether the step reports a failure.
    pub failed: bool,
}

/// A signal of a run: a hint, and not a verdict, that the server finds without a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunSignal {
    /// `tool_error`: a tool reported an error. `exception`: a tool result or an error contains an exception or a
    /// stack trace. `repeated_call`: a tool was called again with the same arguments. `empty_answer`: there is no
    /// answer. `interrupted`: the run did not finish. `short_answer`, `long_answer`, `many_messages`, `slow`,
    /// `costly`: far from the median of the project. `degraded_retrieval`: memories were searched by words, because
    /// there was no vector.
    pub signal: String,
    /// How often the signal occurs in the run.
    pub count: u64,
    /// The number of the first step with the signal, from 1. Null if the signal is about the whole run.
    pub step: Option<u64>,
}

/// A memory that a run received, and the effect of a review on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestMemory {
    /// The memory.
    pub id: MemoryId,
    /// The lesson in one line.
    pub summary: String,
    /// The status, which decides whether the memory is served.
    pub status: MemoryStatus,
    /// The `q_value` now.
    pub q_value: f32,
    /// The `q_value` after a pass, with the default `alpha`.
    pub q_value_after_pass: f32,
    /// The `q_value` after a fail, with the default `alpha`.
    pub q_value_after_fail: f32,
    /// The number of reviews that its credit is based on.
    pub evidence: i32,
}

/// Renews or releases leases of the caller. A lease reserves a trace for one reviewer: until it ends, the queue does
/// not give the trace to others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeLeases {
    /// The ids of the leased traces, at most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub trace_ids: Vec<String>,
    /// How long the renewed leases last, in seconds from now, 1 to 900. Default: 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// Whether to release the leases instead of renewing them: the queue can give the traces to others at once.
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
    /// The renewed leases. A requested trace that is missing here is leased to another reviewer, deferred, reviewed
    /// or deleted. Empty after a release.
    pub held: Vec<QueueLease>,
}

/// A lease: the trace is reserved for the caller until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueLease {
    /// The trace.
    pub trace_id: TraceId,
    /// When the lease ends, by the clock of the database.
    pub leased_until: DateTime<Utc>,
}

/// Defers a trace: the queue does not return it before a time. Exactly one of `seconds` and `until` is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct DeferTrace {
    /// For how many seconds from now, at most 7,776,000 (90 days).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Until this time, at most 90 days from now.
    #[serde(deserialize_with = "crate::limited::bounded_time", skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// A note for the next reviewer, such as the reason, at most 1,000 characters.
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
    /// When the deferral ends. The queue does not return the trace before. Null if it is not deferred.
    pub deferred_until: Option<DateTime<Utc>>,
    /// The reviewer who deferred it.
    pub deferred_by: Option<String>,
    /// The note of that reviewer.
    pub note: Option<String>,
}

/// The state of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewQueue {
    /// How many traces wait for a review and are neither leased nor deferred, counted up to 10,000.
    pub pending: u64,
    /// How many traces are leased.
    pub leased: u64,
    /// How many traces are deferred.
    pub deferred: u64,
    /// How long the oldest pending trace has waited, in seconds. Null if there is none.
    pub oldest_pending_seconds: Option<f64>,
    /// How many reviews people have given since 00:00 UTC today, counted up to 10,000. Reviews that were sent
    /// together with their trace, withdrawn or replaced are not counted.
    pub reviewed_today: u64,
}
