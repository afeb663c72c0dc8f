//! The steps of a trace, rows of the trace list, and change events.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, PartForm, ReviewResult, ReviewStatus, StepKind, TraceId};
use serde::{Deserialize, Serialize};

/// The steps of a trace. The form in which the trace was sent does not matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceSteps {
    /// The trace.
    pub trace_id: TraceId,
    /// How many steps it has.
    pub total: usize,
    /// The kinds of all steps.
    pub kinds: Vec<StepKind>,
    /// The numbers of the failed steps.
    pub failed: Vec<usize>,
    /// The first step in `steps`.
    pub from: usize,
    /// The step after the last one in `steps`. Smaller than requested if the response would exceed 4 MB: continue
    /// from here.
    pub to: usize,
    /// The steps.
    pub steps: Vec<Step>,
}

/// One step of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// The step's number, from 0.
    pub n: usize,
    /// The number of its message, from 0.
    pub message: usize,
    /// The kind.
    pub kind: StepKind,
    /// A title: the tool's name, or the first line of the text.
    pub title: String,
    /// The texts of the step. Nothing is omitted.
    pub parts: Vec<Part>,
    /// Connects a call with its result.
    pub call_id: Option<String>,
    /// The called tool.
    pub tool: Option<String>,
    /// Whether the step failed.
    pub failed: bool,
    /// When it happened, if that was sent.
    pub at: Option<DateTime<Utc>>,
    /// How long it took, if that was sent.
    pub duration_ms: Option<f64>,
    /// How many tokens it used, if that was sent.
    pub tokens: Option<u64>,
}

/// A part of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Part {
    /// The part's number within the trace, to request the rest of it.
    pub n: usize,
    /// The form of its text.
    pub form: PartForm,
    /// Null for the main text, `arguments` for the arguments of a call, `other` for unknown fields.
    pub label: Option<String>,
    /// The media type of an image, audio or file, if it was sent.
    pub media_type: Option<String>,
    /// The length in bytes.
    pub size: usize,
    /// The whole text, if it has at most 32 kB.
    pub text: Option<String>,
    /// The beginning of a longer text.
    pub head: Option<String>,
    /// The end of a longer text.
    pub tail: Option<String>,
}

/// A range of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PartText {
    /// The part's number within the trace.
    pub n: usize,
    /// The length of the whole part in bytes.
    pub size: usize,
    /// Where the text starts, in bytes, rounded down to a whole character.
    pub from: usize,
    /// Where it ends. Continue from here.
    pub to: usize,
    /// The text.
    pub text: String,
}

/// A row of the trace list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceLine {
    /// The trace's id.
    pub id: TraceId,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The first line of the task, shortened.
    pub task: String,
    /// The result of the review.
    pub result: Option<ReviewResult>,
    /// The reviewer: `member:` and a name, or `key:` and the public part of a key.
    pub reviewer: Option<String>,
    /// `reviewed` after the review has become a memory.
    pub review_status: ReviewStatus,
    /// The state of learning.
    pub ingest_status: IngestStatus,
    /// How many messages it has.
    pub messages: i32,
    /// How many steps failed. Null if the body is deleted, or if the page is too large to read all bodies.
    pub errors: Option<u32>,
    /// How many memories it used.
    pub memories: i32,
    /// The memory that was learned from it.
    pub created_memory_id: Option<MemoryId>,
    /// The model of the run.
    pub model: Option<String>,
    /// How long the run took, from `latency_ms` or `duration_ms` in its metadata.
    pub latency_ms: Option<f64>,
    /// How many tokens the run used, from `tokens`, `total_tokens` or `usage` in its metadata.
    pub tokens: Option<u64>,
}

/// A change, sent as the data of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeEvent {
    /// What changed, as in the paths: `traces`, `reviews`, `memories` and so on. `hello` at the start of the stream.
    /// `missed` if anything may have changed.
    pub topic: String,
    /// The ids of what changed, at most 20. Reviews are identified by their traces.
    pub ids: Vec<uuid::Uuid>,
    /// The number of changes.
    pub count: u32,
}
