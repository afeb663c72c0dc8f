//! Memories as they are stored.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{KeyId, MemoryId, MemoryOrigin, MemoryStatus, ReviewId, ReviewResult, TraceId, Trust};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// In which order memories are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MemorySort {
    /// The newest first.
    #[default]
    Newest,
    /// The highest `q_value` first.
    Utility,
    /// The most evidence first.
    Evidence,
    /// What somebody should look at first: quarantined, harmful with evidence, disputed, long unused.
    Attention,
    /// What did most harm first: the credit below one half, the more so the more evidence there is for it.
    Harm,
}

/// Which memories are listed, in which order, and which page of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ListMemories {
    /// With one of these statuses, between commas.
    pub status: Option<String>,
    /// Written by one of these, between commas.
    pub origin: Option<String>,
    /// Pinned, or not.
    pub pinned: Option<bool>,
    /// With a `q_value` below this.
    pub utility_below: Option<f64>,
    /// With a `q_value` above this.
    pub utility_above: Option<f64>,
    /// With a credit below this.
    pub credit_below: Option<f64>,
    /// With a credit above this.
    pub credit_above: Option<f64>,
    /// With at least so much evidence.
    pub evidence_at_least: Option<i32>,
    /// That came in with this key.
    pub author_key_id: Option<KeyId>,
    /// That were learned from this run.
    pub source_trace_id: Option<TraceId>,
    /// Made then or later.
    pub created_after: Option<DateTime<Utc>>,
    /// Made before then.
    pub created_before: Option<DateTime<Utc>>,
    /// Whose task, summary or lesson has this text in it, in any case.
    pub text: Option<String>,
    /// In which order.
    pub sort: Option<MemorySort>,
    /// The most of them, 1 to 100; 100 when absent.
    pub limit: Option<u32>,
    /// Where to go on.
    pub cursor: Option<String>,
}

/// A memory as it is stored, not made harmless for prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredMemory {
    /// Its id.
    pub id: MemoryId,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Whether nobody has vouched for it yet; `status` may say something else first.
    pub quarantined: bool,
    /// What looks out of place in its text, such as `orders`; some of it is why a memory waits.
    pub flags: Vec<String>,
    /// Whether every question is answered with it first.
    pub pinned: bool,
    /// The memory that took its place.
    pub merged_into: Option<MemoryId>,
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
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// What it can be filtered by.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
    /// Which of its texts this is; 1 when it was never edited.
    pub version: i32,
    /// Its utility: 0.5 when new, moved by the review of every run that was shown it.
    pub q_value: f32,
    /// What runs that used it were worth beyond expectation: 0.5 when they went as such runs go anyway.
    pub credit: f32,
    /// How many reviews its credit rests on.
    pub evidence: i32,
    /// The range that holds its true credit in 95 of 100 cases.
    pub credit_interval: [f32; 2],
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// The day on which a review last moved it.
    pub last_used: Option<NaiveDate>,
    /// What became of the run it was learned from.
    pub success: Option<bool>,
    /// Who wrote its first text.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace_id: Option<TraceId>,
    /// The review it came of.
    pub source_review_id: Option<ReviewId>,
    /// The key it came in with.
    pub author_key_id: Option<KeyId>,
    /// How far that key was trusted.
    pub trust: Trust,
    /// The model that wrote it, when one did.
    pub model: Option<String>,
    /// Which wording of our question that was an answer to.
    pub prompt_version: Option<i32>,
    /// What is worth knowing about how it was written.
    pub note: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A memory, where it came from, and what it has said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryDetail {
    /// The memory.
    #[serde(flatten)]
    pub memory: StoredMemory,
    /// Where it came from.
    pub provenance: MemoryProvenance,
    /// All its texts, newest first; empty when it was never edited.
    pub versions: Vec<MemoryVersion>,
}

/// Where a memory came from, as far as that is still kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryProvenance {
    /// The run it was learned from.
    pub trace_id: Option<TraceId>,
    /// The run's task.
    pub trace_task: Option<String>,
    /// When the run was recorded.
    pub trace_created_at: Option<DateTime<Utc>>,
    /// The review it came of.
    pub review_id: Option<ReviewId>,
    /// What that review said.
    pub result: Option<ReviewResult>,
    /// The review's words.
    pub feedback_text: Option<String>,
    /// Who reviewed.
    pub reviewer: Option<String>,
    /// When.
    pub reviewed_at: Option<DateTime<Utc>>,
    /// Whether the review still counts; false when it was replaced or withdrawn.
    pub review_live: Option<bool>,
    /// The key it came in with.
    pub key_id: Option<KeyId>,
    /// That key's public id.
    pub key_public_id: Option<String>,
    /// What that key is for.
    pub key_label: Option<String>,
    /// How far it was trusted.
    pub trust: Trust,
    /// The model that wrote the lesson.
    pub model: Option<String>,
    /// Which wording of our question that was an answer to.
    pub prompt_version: Option<i32>,
}

/// A text that a memory has had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryVersion {
    /// Its number; 1 is the one that the memory was made with.
    pub version: i32,
    /// Whether it is the one that the memory has now.
    pub current: bool,
    /// The action that wrote it.
    pub action_id: Option<Uuid>,
    /// Who wrote it.
    pub actor: Option<String>,
    /// When.
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
    /// What it could be filtered by.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Value,
}
