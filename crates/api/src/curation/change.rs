//! Changes of memories and their results.

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, LessonId, MemoryId, MemoryOrigin, MemoryStatus, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::imported::ImportedFrom;
use super::memory_detail::StoredMemory;
use crate::reviews::AuthoredReflection;

/// Writes a memory by hand, or imports one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(from = "crate::flat::FlatMemory")]
pub struct WriteMemory {
    /// The task it is about. Retrieval compares tasks.
    pub task: String,
    /// The lesson. One of its first four fields must not be empty.
    #[serde(flatten)]
    pub lesson: AuthoredReflection,
    /// Whether it is about a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Any data to filter by.
    #[serde(default, deserialize_with = "crate::limited::metadata", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// Where it comes from, if it is imported. An imported memory is quarantined, and its origin is `import`. A repeated
    /// import changes nothing and is answered with the memory that the item became the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedFrom>,
}

/// Changes the text of a memory. Absent fields stay unchanged.
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
    /// All of its metadata. Keys that are not sent are removed.
    #[serde(default, deserialize_with = "crate::limited::metadata", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// The version that the caller read. 409 if the memory now has another version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
}

/// Merges several memories into one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergeMemories {
    /// The memory that is kept.
    pub survivor_id: String,
    /// The memories that it replaces, at most 100.
    pub memory_ids: Vec<String>,
    /// Changes of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<EditMemory>,
}

/// Permanently removes the text of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EraseMemory {
    /// The id in the path again, because this cannot be undone.
    pub memory_id: String,
}

/// An action on many memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CareVerb))]
#[serde(rename_all = "lowercase")]
pub enum BulkCurationAction {
    /// Stop serving them.
    Disable,
    /// Enable them again after they were disabled or deleted.
    Enable,
    /// Stop serving them until they are released.
    Quarantine,
    /// Release them from quarantine.
    Release,
    /// Unpin them.
    Unpin,
    /// Delete them. They can be enabled again.
    Delete,
}

/// Which memories. All given conditions must match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MemorySelection {
    /// These memories, at most 1000. 404 if one does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// With one of these statuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Vec<MemoryStatus>>,
    /// With one of these origins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vec<MemoryOrigin>>,
    /// Pinned or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// With a utility below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_below: Option<f64>,
    /// With a utility above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_above: Option<f64>,
    /// With a credit below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_below: Option<f64>,
    /// With a credit above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_above: Option<f64>,
    /// With at least this much evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_at_least: Option<i32>,
    /// Written with this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_key_id: Option<KeyId>,
    /// Learned from this trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_trace_id: Option<TraceId>,
    /// Created at this time or later.
    #[serde(deserialize_with = "crate::limited::bounded_time", skip_serializing_if = "Option::is_none")]
    pub created_after: Option<DateTime<Utc>>,
    /// Created before this time.
    #[serde(deserialize_with = "crate::limited::bounded_time", skip_serializing_if = "Option::is_none")]
    pub created_before: Option<DateTime<Utc>>,
    /// With this text in the task or lesson, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// With the same lesson as this memory, this one included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_lesson_as: Option<MemoryId>,
    /// Of this lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson_id: Option<LessonId>,
    /// Superseded by newer evidence, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<bool>,
}

/// Changes all memories that match a filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = BulkCare))]
pub struct CurateMemories {
    /// Which memories.
    #[serde(default)]
    pub filter: MemorySelection,
    /// The same as a text such as `status:active credit:<0.5 refund`, at most 1000 characters. It can be combined with
    /// `filter`; both must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The change.
    pub action: BulkCurationAction,
    /// Return what would change, but change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Change every memory of the project. Otherwise an empty filter is refused.
    #[serde(default)]
    pub all: bool,
}

/// The result of a change of many memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkAnswer {
    /// The action that can be undone. Null if nothing changed.
    pub action_id: Option<Uuid>,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// How many memories match the filter.
    pub matched: u64,
    /// How many of them change. The others already have this state, or cannot change this way.
    pub changed: u64,
    /// The first changed memories, at most 20.
    pub memory_ids: Vec<MemoryId>,
    /// The same as a sentence.
    pub effect: String,
}

/// The result of a change of one memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CareAnswer))]
pub struct CurationAnswer {
    /// The action that can be undone. Null if nothing changed.
    pub action_id: Option<Uuid>,
    /// The memory after the change. After a merge: the memory that is kept.
    pub memory: StoredMemory,
}

/// A change by a member, a key or the server itself, and whether it was undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// The action's id.
    pub id: Uuid,
    /// Who did it. `server` for what it did by itself.
    pub actor: String,
    /// The kind, as in the audit log.
    pub kind: String,
    /// What was changed, as numbers and ids.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub summary: Value,
    /// How many memories it changed.
    pub memories: i64,
    /// How many reviews it gave.
    pub reviews: i64,
    /// When it happened.
    pub created_at: DateTime<Utc>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
    /// Who undid it.
    pub undone_by: Option<String>,
}
