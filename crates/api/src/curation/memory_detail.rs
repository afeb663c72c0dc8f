//! Stored memories.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{
    KeyId, LessonId, MemoryId, MemoryOrigin, MemorySort, MemoryStatus, ReviewId, ReviewResult, TraceId, Trust,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::imported::ImportedFrom;

/// Which memories to list, the order, and the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ListMemories {
    /// A filter such as `status:active credit:<0.5 refund`, at most 1000 characters. It can be combined with the other
    /// fields; all of them must match.
    pub q: Option<String>,
    /// With one of these statuses, separated by commas.
    pub status: Option<String>,
    /// With one of these origins, separated by commas.
    pub origin: Option<String>,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// With a utility below this.
    pub utility_below: Option<f64>,
    /// With a utility above this.
    pub utility_above: Option<f64>,
    /// With a credit below this.
    pub credit_below: Option<f64>,
    /// With a credit above this.
    pub credit_above: Option<f64>,
    /// With at least this much evidence.
    pub evidence_at_least: Option<i32>,
    /// Written with this key.
    pub author_key_id: Option<KeyId>,
    /// Learned from this trace.
    pub source_trace_id: Option<TraceId>,
    /// Created at this time or later.
    #[serde(deserialize_with = "crate::limited::bounded_time")]
    pub created_after: Option<DateTime<Utc>>,
    /// Created before this time.
    #[serde(deserialize_with = "crate::limited::bounded_time")]
    pub created_before: Option<DateTime<Utc>>,
    /// With this text in the task, summary or lesson, ignoring case.
    pub text: Option<String>,
    /// With the same lesson as this memory. Lists all of them.
    pub same_lesson_as: Option<MemoryId>,
    /// Of this lesson. Lists all of its memories.
    pub lesson_id: Option<LessonId>,
    /// Superseded by newer evidence, or not.
    pub superseded: Option<bool>,
    /// Whether memories that repeat the lesson of a listed memory are listed too. Default: false.
    pub include_same_lesson: Option<bool>,
    /// The order.
    pub sort: Option<MemorySort>,
    /// The page size, 1 to 100. Default: 100.
    pub limit: Option<u32>,
    /// The `X-Next-Cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A stored memory. Its texts are not sanitised for prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredMemory {
    /// The memory's id.
    pub id: MemoryId,
    /// The status: whether it may be served.
    pub status: MemoryStatus,
    /// Whether it is quarantined. `status` can show another status first.
    pub quarantined: bool,
    /// What is suspicious in the text, such as `orders`. This can be the reason for a quarantine.
    pub flags: Vec<String>,
    /// Whether every retrieval returns it first.
    pub pinned: bool,
    /// The memory that replaces it.
    pub merged_into: Option<MemoryId>,
    /// The lesson. Other memories can have the same one. Null if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = LessonId))]
    pub lesson_id: Option<LessonId>,
    /// The review whose run contradicts it and superseded it. It is disabled then.
    #[serde(default)]
    pub superseded_by: Option<ReviewId>,
    /// How many other memories are merged into it: runs with the same advice about nearly the same task, and what people
    /// merged.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub absorbed: i32,
    /// The task it is about.
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
    /// The metadata, to filter by.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
    /// The version of the text. 1 if it was never edited.
    pub version: i32,
    /// The value of the memory under the project's ranking: its credit with a bonus for being new (`learned`), or its
    /// `q_value` (`classic`). The same number ranks it in queries.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub utility: f32,
    /// The number of the classic ranking: 0.5 for a new memory. Each review of a trace with this memory moves it.
    pub q_value: f32,
    /// How much better traces with this memory went than expected. 0.5 means: as expected.
    pub credit: f32,
    /// The number of reviews behind the credit.
    pub evidence: i32,
    /// The 95 % confidence interval of the credit.
    pub credit_interval: [f32; 2],
    /// How many reviews moved the `q_value`.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// How many memories have the same lesson and status, this one included; each was learned from one run. At most 1000.
    #[serde(default = "crate::memories::one_run")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub runs: i32,
    /// The day of the last review that moved it.
    pub last_used: Option<NaiveDate>,
    /// Whether the source run passed.
    pub success: Option<bool>,
    /// The origin of the first text.
    pub origin: MemoryOrigin,
    /// The trace that it was learned from.
    pub source_trace_id: Option<TraceId>,
    /// The review that it was learned from.
    pub source_review_id: Option<ReviewId>,
    /// The key that it was written with.
    pub author_key_id: Option<KeyId>,
    /// The trust level of that key.
    pub trust: Trust,
    /// The model that wrote it, if any.
    pub model: Option<String>,
    /// The version of the prompt that the model was given.
    pub prompt_version: Option<i32>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A memory, its provenance and its versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryDetail {
    /// The memory.
    #[serde(flatten)]
    pub memory: StoredMemory,
    /// Where it came from.
    pub provenance: MemoryProvenance,
    /// All versions of its text, newest first. Empty if it was never edited.
    pub versions: Vec<MemoryVersion>,
}

/// Where a memory came from, as far as this is still stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryProvenance {
    /// The trace that it was learned from.
    pub trace_id: Option<TraceId>,
    /// The trace's task.
    pub trace_task: Option<String>,
    /// When the trace was recorded.
    pub trace_created_at: Option<DateTime<Utc>>,
    /// The review that it was learned from.
    pub review_id: Option<ReviewId>,
    /// The result of that review.
    pub result: Option<ReviewResult>,
    /// The feedback of that review.
    pub feedback_text: Option<String>,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// When it was reviewed.
    pub reviewed_at: Option<DateTime<Utc>>,
    /// Whether the review still counts. False if it was replaced or withdrawn.
    pub review_live: Option<bool>,
    /// The key that it was written with.
    pub key_id: Option<KeyId>,
    /// That key's public id.
    pub key_public_id: Option<String>,
    /// The key's label.
    pub key_label: Option<String>,
    /// The key's trust level.
    pub trust: Trust,
    /// The model that wrote the lesson.
    pub model: Option<String>,
    /// The version of the prompt that the model was given.
    pub prompt_version: Option<i32>,
    /// Where it was imported from, if it was imported and not erased.
    #[serde(default)]
    pub imported: Option<ImportedFrom>,
}

/// A version of a memory's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryVersion {
    /// The version number. 1 is the first text.
    pub version: i32,
    /// Whether it is the current text.
    pub current: bool,
    /// The action that wrote it.
    pub action_id: Option<Uuid>,
    /// Who wrote it.
    pub actor: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// The task.
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
    /// The metadata, to filter by.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
}
