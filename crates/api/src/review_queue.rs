//! The review queue: traces that wait for a review, given out one by one.

use chrono::{DateTime, Utc};
use reflect_types::{Link, MemoryId, MemoryStatus, TraceId};
use serde::{Deserialize, Serialize};

/// In which order traces are given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum QueueOrder {
    /// By what a review would teach.
    #[default]
    Informative,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// Those with the most tool errors and exceptions first.
    Errors,
    /// By lot.
    Random,
}

/// Which traces are wanted. What is absent is not asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RunFilter {
    /// The model that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Every key must be there with that value, or with a list that holds it; 20 keys at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// The task has this text in it, in capitals or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// This signal was seen, such as `tool_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether a judge has said something about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<bool>,
}

/// Asks for traces to review.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct NextReviews {
    /// How many, 1 to 20; 3 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 20))]
    pub count: Option<u32>,
    /// In which order; `informative` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<QueueOrder>,
    /// For how many seconds nobody else is given them, 1 to 900; 120 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// None of these, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub skip: Option<Vec<String>>,
    /// Whether the caller's own leases come first, and are prolonged. Without it they are not given again.
    pub renew: bool,
    /// Who reviews, up to 100 characters, where several people use one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Only such traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<RunFilter>,
}

/// Traces to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTraces {
    /// The best first. Empty when nothing is left that the caller could get.
    pub items: Vec<QueuedTrace>,
    /// How many more the caller could get, counted up to 10,000.
    pub remaining: u64,
}

/// A trace to review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then nobody else is given it.
    pub leased_until: DateTime<Utc>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The model that ran.
    pub model: Option<String>,
    /// How it is known which memories the run had.
    pub link: Link,
    /// Who had deferred it, when that time is over.
    pub deferred_by: Option<String>,
    /// And why.
    pub deferred_note: Option<String>,
    /// What a review of it would teach: the sum of the reasons' weights.
    pub score: f64,
    /// Why it comes early, heaviest first.
    pub reasons: Vec<QueueReason>,
    /// The run at a glance.
    pub digest: TraceDigest,
}

/// Why a trace comes early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueReason {
    /// `thin_evidence`, `conflicting_outcomes`, `judge_disagrees`, `no_near_memory` or `age`.
    pub reason: String,
    /// How much it counts.
    pub weight: f64,
}

/// A run at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceDigest {
    /// What the agent was asked to do: 6 lines at most, and 1,000 characters.
    pub task: String,
    /// Whether there is more of it.
    pub task_is_cut: bool,
    /// What it answered: 20 lines at most, and 4,000 characters.
    pub answer: String,
    /// Whether there is more of it.
    pub answer_is_cut: bool,
    /// What it did; null when the trajectory is too large to be read for this.
    pub steps: Option<DigestSteps>,
    /// What can be seen of it without understanding it.
    pub signals: Vec<RunSignal>,
    /// The memories it had, 20 at most, and what a review does to each.
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
    /// Their titles; of more than 60, the first and the last 30.
    pub listed: Vec<DigestStep>,
}

/// One step in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestStep {
    /// Its place, counting from 1.
    pub step: u64,
    /// The message it stands in, counting from 1. A message may hold several.
    pub message: u64,
    /// What kind of thing it is.
    pub kind: String,
    /// What happened, in one line of at most 120 characters.
    pub title: String,
    /// Whether a tool failed.
    pub failed: bool,
}

/// Something that was seen of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunSignal {
    /// `tool_error`, `exception`, `repeated_call`, `empty_answer`, `interrupted`, `short_answer`, `long_answer`,
    /// `many_messages`, `slow`, `costly` or `degraded_retrieval`.
    pub signal: String,
    /// How often.
    pub count: u64,
    /// The first step it was seen in, where it belongs to a step.
    pub step: Option<u64>,
}

/// A memory that a run had, and what a review does to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DigestMemory {
    /// The memory.
    pub id: MemoryId,
    /// The lesson in one line.
    pub summary: String,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Its utility now.
    pub q_value: f32,
    /// Its utility if the run passes, with the usual `alpha`.
    pub q_value_after_pass: f32,
    /// Its utility if the run fails.
    pub q_value_after_fail: f32,
    /// How many reviews its credit rests on.
    pub evidence: i32,
}

/// Prolongs leases, or gives them back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeLeases {
    /// Of these traces, at most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub trace_ids: Vec<String>,
    /// For how many seconds from now on, 1 to 900; 120 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 900))]
    pub lease_seconds: Option<u32>,
    /// Gives them back instead.
    #[serde(default)]
    pub release: bool,
    /// Who holds them, up to 100 characters, where several people use one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
}

/// What the caller still holds of the traces that were named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldLeases {
    /// Those not in here have been given to somebody else, got their review, or are gone.
    pub held: Vec<QueueLease>,
}

/// A trace that somebody is looking at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueLease {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then nobody else is given it.
    pub leased_until: DateTime<Utc>,
}

/// Puts a trace off. Either `seconds` or `until`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct DeferTrace {
    /// For so long, 90 days at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// Why, or who should look at it; 1,000 characters at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who defers it, up to 100 characters, where several people use one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
}

/// Whether a trace is put off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeferredTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// Until then it is given to nobody; null when it is not put off.
    pub deferred_until: Option<DateTime<Utc>>,
    /// Who put it off.
    pub deferred_by: Option<String>,
    /// Why.
    pub note: Option<String>,
}

/// How the queue stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewQueue {
    /// Traces that anybody may get, counted up to 10,000.
    pub pending: u64,
    /// Traces that somebody is looking at.
    pub leased: u64,
    /// Traces that were put off.
    pub deferred: u64,
    /// How long the oldest of the pending ones has waited, in seconds; null when there is none.
    pub oldest_pending_seconds: Option<f64>,
    /// Live reviews of stored traces that people gave today, by the calendar of UTC, counted up to 10,000.
    pub reviewed_today: u64,
}
