//! The results of the tools, and their schemas. Models read these doc comments.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use reflect_api::{Memory, Review, ReviewItem, Skill, TraceSubmission};
use reflect_types::{IngestStatus, MemoryId, RetrievalId, TraceId};
use rmcp::handler::server::common::schema_for_output;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::ApiError;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RetrievedMemories {
    /// The memories, best first.
    pub(super) memories: Vec<ServedMemory>,
    /// The receipt. Send it with the run instead of the ids of the memories.
    #[schemars(with = "String")]
    pub(super) retrieval_id: RetrievalId,
    /// Whether the search was by words only.
    pub(super) degraded: bool,
    /// Whether no receipt could be stored. A run with this retrieval_id then changes no memory.
    pub(super) unrecorded: bool,
}

/// Only some fields: the reflection already contains the parts of the lesson.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ServedMemory {
    /// The id. Send it in retrieved_memory_ids of the run.
    #[schemars(with = "String")]
    id: MemoryId,
    /// The task that it was learned from.
    task: String,
    /// The whole lesson.
    reflection: String,
    /// The lesson in one line.
    summary: String,
    /// How runs with this memory went, 0 to 1. 0.5 for a new memory.
    q_value: f32,
    /// The utility that was used for ranking, 0 to 1.
    utility: f32,
    /// The similarity of the tasks, -1 to 1.
    similarity: f32,
    /// The score that was used for ranking.
    score: f32,
    /// Whether the run that it was learned from passed.
    success: Option<bool>,
    /// How many runs taught this lesson.
    runs: i32,
    /// How many of them passed.
    passed_runs: i32,
    /// For how many of the closest memories this lesson stands, such as "3 of the 5 closest".
    support: Option<String>,
    /// What is suspicious in the text.
    flags: Vec<String>,
}

impl From<Memory> for ServedMemory {
    fn from(memory: Memory) -> Self {
        Self {
            id: memory.id,
            task: memory.task,
            reflection: memory.reflection,
            summary: memory.summary,
            q_value: memory.q_value,
            utility: memory.utility,
            similarity: memory.similarity,
            score: memory.score,
            success: memory.success,
            runs: memory.runs,
            passed_runs: memory.passed_runs,
            support: memory
                .support
                .map(|support| format!("{} of the {} closest", support.situations, support.of)),
            flags: memory.flags,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordedRun {
    /// The id of the run. review_run takes it.
    #[schemars(with = "String")]
    trace_id: TraceId,
    /// The same id.
    #[schemars(with = "String")]
    id: TraceId,
    /// `queued` while a lesson is being written, otherwise `completed`.
    #[schemars(with = "String")]
    ingest_status: IngestStatus,
    /// The memory, if the call contained the lesson.
    #[schemars(with = "Option<String>")]
    created_memory_id: Option<MemoryId>,
}

impl From<TraceSubmission> for RecordedRun {
    fn from(run: TraceSubmission) -> Self {
        let TraceSubmission { trace_id, id, ingest_status, created_memory_id } = run;
        Self { trace_id, id, ingest_status, created_memory_id }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReviewedRun {
    /// The id of the run.
    #[schemars(with = "String")]
    trace_id: TraceId,
    /// `queued` while a lesson is being written, otherwise `completed`.
    #[schemars(with = "String")]
    ingest_status: IngestStatus,
    /// The memory, if it already exists.
    #[schemars(with = "Option<String>")]
    created_memory_id: Option<MemoryId>,
    /// The stored review.
    #[schemars(with = "Option<Map<String, Value>>")]
    review: Option<Review>,
}

impl TryFrom<ReviewItem> for ReviewedRun {
    type Error = ApiError;

    fn try_from(item: ReviewItem) -> Result<Self, ApiError> {
        match item {
            ReviewItem::Taken { trace_id, ingest_status, created_memory_id, review } => {
                Ok(Self { trace_id, ingest_status, created_memory_id, review })
            }
            // Only items of a batch are refused.
            ReviewItem::Refused { .. } => Err(ApiError::internal()),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SkillText {
    /// The project.
    project_id: String,
    /// The version, starting at 1.
    version: i32,
    /// The guide in Markdown.
    content: String,
    /// How many lessons of passed runs were used.
    n_passed: i32,
    /// How many lessons of failed runs were used.
    n_failed: i32,
    /// The memories with these lessons.
    #[schemars(with = "Vec<String>")]
    memory_ids: Vec<MemoryId>,
    /// The model that wrote it.
    model: Option<String>,
    /// When it was written.
    #[schemars(with = "String")]
    created_at: DateTime<Utc>,
}

impl From<Skill> for SkillText {
    fn from(skill: Skill) -> Self {
        let Skill { project_id, version, content, n_passed, n_failed, memory_ids, model, created_at } = skill;
        Self { project_id, version, content, n_passed, n_failed, memory_ids, model, created_at }
    }
}

/// The schema of a result. Some clients check errors against it too, so it also allows an error.
pub(super) fn schema<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    let mut schema = schema_for_output::<T>();
    let object = Arc::make_mut(&mut schema);
    let required = object.remove("required").unwrap_or_else(|| json!([]));
    let text = |description: &str| json!({ "type": "string", "description": description });
    let error = json!({
        "type": "object",
        "description": "Why the call failed. Present only if it failed.",
        "properties": {
            "code": text("The kind of error."),
            "message": text("What is wrong, and what to do next."),
            "request_id": text("Finds the request in the server's log."),
        },
        "required": ["code", "message", "request_id"],
    });
    if let Some(properties) = object.entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        properties.insert("error".to_owned(), error);
    }
    object.insert("anyOf".to_owned(), json!([{ "required": required }, { "required": ["error"] }]));
    schema
}
