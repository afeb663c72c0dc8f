//! Retrieval: queries for memories and their results.

use chrono::{DateTime, Utc};
use reflect_types::{Fate, LessonId, MemoryId, MemoryOrigin, Ranking, RetrievalId, TraceId, Trust};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Queries memories that may help with a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryMemories {
    /// The task.
    pub task: String,
    /// The largest number of memories, 1 to 100. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// The weight of utility against similarity, 0 to 1. 0 ranks by similarity only, 1 by utility only. Default: 0.5, or
    /// the weight that replay selects, if the project's setting `lessons.utility_weight` is `replay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f32>,
    /// The same as `lambda`, with a clearer name. It wins if both are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility_weight: Option<f32>,
    /// The weight of the score against diversity (MMR), 0 to 1. Default: 1, no diversity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mmr_lambda: Option<f32>,
    /// The lowest similarity, -1 to 1. Default: the threshold of the embedding model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f32>,
    /// Only memories whose metadata has each of these keys with this value, or with a list that contains it.
    #[serde(default, deserialize_with = "crate::limited::filter", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata_filter: Option<Map<String, Value>>,
    /// Which number is used as utility: `learned` or `classic`. Default: the project's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// Excludes memories that would match as `metadata_filter`.
    #[serde(default, deserialize_with = "crate::limited::filter", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata_exclude: Option<Map<String, Value>>,
}

/// Queries memories and returns the task with the memories as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(from = "crate::flat::FlatAugment")]
pub struct AugmentTask {
    /// The query.
    #[serde(flatten)]
    pub query: QueryMemories,
    /// The largest number of tokens for the memories, estimated as four characters each. Default: 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Whether each lesson in the text is marked with the id of its memory. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_ids: Option<bool>,
}

/// A retrieved memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Memory {
    /// The memory's id. Send it in `retrieved_memory_ids` of the trace that used it.
    pub id: MemoryId,
    /// The task that it was learned from.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// The tools that the source run used.
    pub tools_used: Vec<String>,
    /// The number of the classic ranking: 0.5 for a new memory. Each review of a trace with this memory moves it. Use
    /// `utility` to show the value of a memory.
    pub q_value: f32,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// The value of the memory, which was used for ranking.
    pub utility: f32,
    /// How much better traces with this memory went than expected. 0.5 means: as expected.
    pub credit: f32,
    /// The number of reviews behind the credit.
    pub evidence: i32,
    /// The 95 % confidence interval of the credit.
    pub credit_interval: [f32; 2],
    /// The score that was used for ranking.
    pub score: f32,
    /// Whether the source run passed.
    pub success: Option<bool>,
    /// The receipt of this retrieval. A trace can send it instead of the memory ids.
    pub retrieval_id: RetrievalId,
    /// How many reviews moved the `q_value`.
    pub reviews: i32,
    /// How many of them were passes. 0 if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub passes: i32,
    /// How many runs taught this lesson. At most 1000.
    #[serde(default = "one_run")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub runs: i32,
    /// How many of these runs passed. 0 if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub passed_runs: i32,
    /// The lesson. Other memories can have the same one. Null if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = LessonId))]
    pub lesson_id: Option<LessonId>,
    /// For how many of the closest memories it stands. Null if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = LessonSupport))]
    pub support: Option<LessonSupport>,
    /// The metadata of the source run.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
    /// Where the text came from.
    pub origin: MemoryOrigin,
    /// The trace that it was learned from.
    pub source_trace_id: Option<TraceId>,
    /// The model that wrote it, if any.
    pub model: Option<String>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// What is suspicious in the text: `orders`, `credentials`, `link`, `code`, `copy`. These are hints, not proofs.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The trust level of the source.
    #[serde(default = "usual_trust")]
    pub trust: Trust,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// How many of the best ranked memories have the lesson of a retrieved memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonSupport {
    /// How many of the selected memories have this lesson. A memory that absorbed other runs counts twice.
    pub situations: usize,
    /// How many memories were selected, at most `limit`.
    pub of: usize,
}

/// The default for servers that do not send this field.
const fn usual_trust() -> Trust {
    Trust::Normal
}

/// The default for servers that do not send this field.
pub(crate) const fn one_run() -> i32 {
    1
}

/// A task with the memories for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AugmentedTask {
    /// The task as sent.
    pub task: String,
    /// The task followed by the memories. Only the task if there are none.
    pub augmented_task: String,
    /// The memories as text without the task, for a system prompt. Empty if there are none.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub memory_block: String,
    /// The memories in the text, at most five.
    pub memories: Vec<Memory>,
    /// The receipt of this retrieval.
    pub retrieval_id: RetrievalId,
    /// Whether a keyword search was used because the semantic search failed.
    pub degraded: bool,
    /// Whether no receipt could be stored. A trace with this `retrieval_id` then changes no memory. False if the server
    /// does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub unrecorded: bool,
}

/// A receipt: which memories were considered for a task, and what happened to each of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Retrieval {
    /// The receipt's id.
    pub id: RetrievalId,
    /// The task of the query.
    pub task: Option<String>,
    /// The parameters of the query, with defaults filled in. `utility_weight_from` says where the weight comes from:
    /// `request`, `replay` or `default`.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub parameters: Value,
    /// All considered memories, the served ones first.
    pub considered: Vec<ConsideredMemory>,
    /// Whether a keyword search was used because the semantic search failed.
    pub degraded: bool,
    /// Whether the memories were held out, to compare traces with and without memories.
    pub held_out: bool,
    /// How long the embedding of the query took, in milliseconds.
    pub embed_ms: f64,
    /// How long search and ranking took, in milliseconds.
    pub search_ms: f64,
    /// When the query was made.
    pub created_at: DateTime<Utc>,
}

/// A considered memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsideredMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// The value of the memory under the ranking of the query.
    pub utility: f32,
    /// What happened to it.
    pub fate: Option<Fate>,
}
