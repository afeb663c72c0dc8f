//! What can be done to memories, and what came of it.

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, MemoryId, MemoryOrigin, MemoryStatus, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::StoredMemory;
use crate::AuthoredReflection;

/// Writes a memory by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WriteMemory {
    /// The task it is about; memories are found by it.
    pub task: String,
    /// The lesson; one of its first four fields must say something.
    #[serde(flatten)]
    pub lesson: AuthoredReflection,
    /// Whether it is about something that went well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Anything worth filtering by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
}

/// Changes the text of a memory; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EditMemory {
    /// The task it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The lesson in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What to do next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_mistake: Option<String>,
    /// What should have been done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct_action: Option<String>,
    /// The tools or areas it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applicable_tools: Option<Vec<String>>,
    /// All of its metadata: what is not in here is gone from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// The version that was read before; 409 when the memory has another one by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
}

/// Makes one memory of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergeMemories {
    /// The one that stays.
    pub survivor_id: String,
    /// Those whose place it takes, at most 100.
    pub memory_ids: Vec<String>,
    /// What is to be different about its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<EditMemory>,
}

/// Removes what a memory says, for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EraseMemory {
    /// The id in the path once more, because there is no way back.
    pub memory_id: String,
}

/// Something that can be done to many memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CareVerb {
    /// Take them out of use.
    Disable,
    /// Bring them back after they were disabled or deleted.
    Enable,
    /// Serve them no more until somebody vouches for them.
    Quarantine,
    /// Vouch for them.
    Release,
    /// Pin them no more.
    Unpin,
    /// Delete them; they can still be brought back.
    Delete,
}

/// Which memories are meant. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MemorySelection {
    /// These, at most 1000. One that is not there is 404.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// With one of these statuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Vec<MemoryStatus>>,
    /// Written by one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vec<MemoryOrigin>>,
    /// Pinned, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// With a `q_value` below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_below: Option<f64>,
    /// With a `q_value` above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_above: Option<f64>,
    /// With a credit below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_below: Option<f64>,
    /// With a credit above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_above: Option<f64>,
    /// With at least so much evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_at_least: Option<i32>,
    /// That came in with this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_key_id: Option<KeyId>,
    /// That were learned from this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_trace_id: Option<TraceId>,
    /// Made then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_after: Option<DateTime<Utc>>,
    /// Made before then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_before: Option<DateTime<Utc>>,
    /// Whose task or lesson has this text in it, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Does something to all memories that a filter describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkCare {
    /// Which memories.
    #[serde(default)]
    pub filter: MemorySelection,
    /// What is done to them.
    pub action: CareVerb,
    /// Change nothing and say what would be.
    #[serde(default)]
    pub dry_run: bool,
    /// Every memory of the project is meant. Without it an empty filter is refused.
    #[serde(default)]
    pub all: bool,
}

/// What was done to many memories, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkAnswer {
    /// The action, by which it can be undone; null when nothing was changed.
    pub action_id: Option<Uuid>,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// How many memories the filter describes.
    pub matched: u64,
    /// How many of them are changed. The others are so already, or cannot be changed this way.
    pub changed: u64,
    /// The first of those that are changed, at most 20.
    pub memory_ids: Vec<MemoryId>,
    /// The same in words.
    pub effect: String,
}

/// What was done to a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CareAnswer {
    /// The action, by which it can be undone; null when nothing had to be changed.
    pub action_id: Option<Uuid>,
    /// The memory as it is now; the one that stays when several were merged.
    pub memory: StoredMemory,
}

/// Something that somebody did, and whether it was undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// Its id.
    pub id: Uuid,
    /// Who.
    pub actor: String,
    /// Did what, in the word of the audit log.
    pub kind: String,
    /// To which things, in numbers and ids.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub summary: Value,
    /// How many memories it changed.
    pub memories: i64,
    /// How many reviews were given by it.
    pub reviews: i64,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
    /// Who undid it.
    pub undone_by: Option<String>,
}
