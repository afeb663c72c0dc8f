//! Erasures: the removal of the data of one trace or one subject.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What happens to memories that were learned from the erased traces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ErasedMemories {
    /// They are removed too, with their vectors and the skills that were written from them.
    #[default]
    Delete,
    /// They are kept. Their texts may quote the erased traces.
    Keep,
}

/// Requests an erasure. Either `trace_id` or `subject` is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateErasure {
    /// One trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<Uuid>,
    /// All traces whose metadata has this `subject`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What happens to memories that were learned from these traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memories: Option<ErasedMemories>,
}

/// The state of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ErasureState {
    /// It waits for a worker.
    Waiting,
    /// A worker is processing it.
    Running,
    /// Everything is removed.
    Done,
}

/// An erasure and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Erasure {
    /// The erasure's id.
    pub id: Uuid,
    /// The state.
    pub state: ErasureState,
    /// What happens to memories.
    pub memories: ErasedMemories,
    /// How many traces are removed so far.
    pub traces: u64,
    /// How many rows are removed so far, by table. For `review` and `memory_stat`: rows whose texts are removed.
    pub removed: BTreeMap<String, u64>,
    /// What is kept on purpose, and why.
    pub stays: Vec<String>,
    /// Where copies may still exist, and for how long.
    pub copies: Vec<String>,
    /// When it was requested.
    pub created_at: DateTime<Utc>,
    /// When it was finished.
    pub finished_at: Option<DateTime<Utc>>,
}
