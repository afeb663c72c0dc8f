//! Memories: asking for the ones that may help, and getting them.

use chrono::{DateTime, Utc};
use reflect_types::{Fate, MemoryId, MemoryOrigin, Ranking, RetrievalId, TraceId, Trust};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Asks for memories that may help with a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryMemories {
    /// The task that is about to be done.
    pub task: String,
    /// The most memories that are wanted, 1 to 100; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// How much utility counts against similarity, 0 to 1; 0.5 when absent. 0 orders by similarity
    /// alone, 1 by utility alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f32>,
    /// The same as `lambda` under a name that says which end is which; it wins when both are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility_weight: Option<f32>,
    /// How much score counts against variety, 0 to 1; 1, which is no variety, when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mmr_lambda: Option<f32>,
    /// The least similarity, -1 to 1; the embedding model's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f32>,
    /// Only memories whose metadata has each of these, as its value or in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata_filter: Option<Map<String, Value>>,
    /// What is taken for a memory's utility: `learned` or `classic`; the project's own choice when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// No memory that the same words as a filter would have found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata_exclude: Option<Map<String, Value>>,
}

/// Asks for a task's text with its memories written below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AugmentTask {
    /// What is asked.
    #[serde(flatten)]
    pub query: QueryMemories,
    /// How many tokens the memories may take; 1500 when absent. One token is taken to be four characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
}

/// A memory, as it is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Memory {
    /// Its id; send it in `retrieved_memory_ids` of the run that was shown it.
    pub id: MemoryId,
    /// The task it was learned from.
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
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// Its utility: 0.5 when new, moved by the review of every run that was shown it.
    pub q_value: f32,
    /// How similar its task is.
    pub similarity: f32,
    /// What was taken for its utility.
    pub utility: f32,
    /// What runs that used it were worth beyond expectation: 0.5 when they went as such runs go anyway.
    pub credit: f32,
    /// How many reviews its credit rests on.
    pub evidence: i32,
    /// The range that holds its true credit in 95 of 100 cases.
    pub credit_interval: [f32; 2],
    /// What it was ranked by.
    pub score: f32,
    /// What became of the run it was learned from.
    pub success: Option<bool>,
    /// The receipt of this retrieval; a trace may send it instead of the ids.
    pub retrieval_id: RetrievalId,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// As its run was described.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
    /// Where its text came from.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace_id: Option<TraceId>,
    /// The model that wrote it, when one did.
    pub model: Option<String>,
    /// What is worth knowing about how it was written.
    pub note: Option<String>,
    /// What looks out of place in its text: `orders`, `credentials`, `link`, `code`, `copy`. Signs, not proofs.
    #[serde(default)]
    pub flags: Vec<String>,
    /// How far its source is trusted.
    #[serde(default = "usual_trust")]
    pub trust: Trust,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Of a server that does not say so.
const fn usual_trust() -> Trust {
    Trust::Normal
}

/// A task with what is known about tasks like it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AugmentedTask {
    /// The task as it was sent.
    pub task: String,
    /// The task with memories below it; the task alone when there are none.
    pub augmented_task: String,
    /// The memories that went into it.
    pub memories: Vec<Memory>,
    /// The receipt of this retrieval.
    pub retrieval_id: RetrievalId,
    /// Whether memories were found by their words because they could not be found by meaning.
    pub degraded: bool,
}

/// What was considered for a task, and what became of each of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Retrieval {
    /// The receipt's id.
    pub id: RetrievalId,
    /// The task that was asked for.
    pub task: Option<String>,
    /// How it was asked, with what was filled in.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub parameters: Value,
    /// All that was considered, what was served first.
    pub considered: Vec<ConsideredMemory>,
    /// Whether memories were looked for by their words because they could not be found by meaning.
    pub degraded: bool,
    /// Whether what was found was held back, so that runs with and without can be compared.
    pub held_out: bool,
    /// How long embedding the question took, in milliseconds.
    pub embed_ms: f64,
    /// How long finding and ranking took, in milliseconds.
    pub search_ms: f64,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
}

/// A memory that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsideredMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// How similar its task was.
    pub similarity: f32,
    /// What was taken for its utility.
    pub utility: f32,
    /// What became of it.
    pub fate: Option<Fate>,
}
