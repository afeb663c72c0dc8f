//! A run as steps and as a row of a table, for people to read.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use serde::{Deserialize, Serialize};

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// What the agent was told to be.
    System,
    /// What somebody asked.
    User,
    /// What the agent said.
    Assistant,
    /// What it thought.
    Reasoning,
    /// A tool that it called.
    ToolCall,
    /// What the tool gave.
    ToolResult,
    /// What went wrong.
    Error,
    /// Memories that it was shown.
    Memory,
    /// Anything else.
    Note,
}

/// What a part's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartForm {
    /// Text.
    Text,
    /// JSON as text.
    Json,
    /// A picture, a sound or a file: a data URL, an address, or the JSON it came as.
    Media,
}

/// Steps of a run, whatever form it was sent in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceSteps {
    /// The run.
    pub trace_id: TraceId,
    /// How many steps it has.
    pub total: usize,
    /// What each of them is, all of them.
    pub kinds: Vec<StepKind>,
    /// Which of them went wrong.
    pub failed: Vec<usize>,
    /// The first step below.
    pub from: usize,
    /// The first step that is not below any more. Less than was asked for when the answer would be larger than
    /// 4 MB: go on from here.
    pub to: usize,
    /// The steps.
    pub steps: Vec<Step>,
}

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// Its number, from 0.
    pub n: usize,
    /// The message it comes from, from 0.
    pub message: usize,
    /// What it is.
    pub kind: StepKind,
    /// A line to know it by: the tool's name, or the first line of what is said.
    pub title: String,
    /// What it says, and what else was sent with it. Nothing is left out.
    pub parts: Vec<Part>,
    /// Links a call with its result.
    pub call_id: Option<String>,
    /// The tool that is called or answers.
    pub tool: Option<String>,
    /// Whether it went wrong.
    pub failed: bool,
    /// When it happened, where that was sent.
    pub at: Option<DateTime<Utc>>,
    /// How long it took, where that was sent.
    pub duration_ms: Option<f64>,
    /// How many tokens it took, where that was sent.
    pub tokens: Option<u64>,
}

/// A piece of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Part {
    /// Its number within the run, by which the rest of it is asked for.
    pub n: usize,
    /// What its text is.
    pub form: PartForm,
    /// Null for what the step says; `arguments` of a call; `other` for fields that are not known.
    pub label: Option<String>,
    /// Of a picture, a sound or a file, when it was sent.
    pub media_type: Option<String>,
    /// Its length in bytes.
    pub size: usize,
    /// All of it, up to 32 kB.
    pub text: Option<String>,
    /// How it begins, when it is longer.
    pub head: Option<String>,
    /// How it ends, when it is longer.
    pub tail: Option<String>,
}

/// A stretch of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PartText {
    /// Its number within the run.
    pub n: usize,
    /// The length of the whole part in bytes.
    pub size: usize,
    /// Where the text begins, in bytes; moved down to a whole character.
    pub from: usize,
    /// Where it ends. Go on from here.
    pub to: usize,
    /// The text.
    pub text: String,
}

/// A run as a row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceLine {
    /// The trace's id.
    pub id: TraceId,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The first line of the task, shortened.
    pub task: String,
    /// The verdict.
    pub result: Option<ReviewResult>,
    /// Who gave it: `member:` and a name, or `key:` and what may be shown of a key.
    pub reviewer: Option<String>,
    /// `reviewed` once the verdict has become a memory.
    pub review_status: ReviewStatus,
    /// How far learning has come.
    pub ingest_status: IngestStatus,
    /// How many messages it has.
    pub messages: i32,
    /// How many steps went wrong; null when the body is gone or the page became too large to look.
    pub errors: Option<u32>,
    /// How many memories it had.
    pub memories: i32,
    /// The memory that its verdict became.
    pub created_memory_id: Option<MemoryId>,
    /// The model that ran.
    pub model: Option<String>,
    /// How long it took, from `latency_ms` or `duration_ms` of its metadata.
    pub latency_ms: Option<f64>,
    /// How many tokens it took, from `tokens`, `total_tokens` or `usage` of its metadata.
    pub tokens: Option<u64>,
}

/// Something changed: what is sent as the data of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeEvent {
    /// The noun of the paths that show what changed, such as `traces`, `reviews` or `memories`; `hello` when the
    /// stream begins; `missed` when anything may have changed.
    pub topic: String,
    /// Which of them, 20 at most. Reviews are named by their traces.
    pub ids: Vec<uuid::Uuid>,
    /// How many changes this stands for.
    pub count: u32,
}
