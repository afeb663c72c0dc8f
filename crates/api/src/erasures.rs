//! Erasures: the removal of what is known about one run or one subject.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What becomes of memories that came of what is erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ErasedMemories {
    /// They are removed too, with their vectors, and the skills that were written from them.
    #[default]
    Delete,
    /// They stay. Their texts may quote what is erased.
    Keep,
}

/// Asks for an erasure. One of `trace_id` and `subject` must be there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateErasure {
    /// One run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<Uuid>,
    /// All runs whose metadata has this `subject`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What becomes of memories that came of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memories: Option<ErasedMemories>,
}

/// How far an erasure has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ErasureState {
    /// It waits for a worker.
    Waiting,
    /// A worker is on it.
    Running,
    /// Nothing is left to remove.
    Done,
}

/// An erasure, and what it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Erasure {
    /// Its id.
    pub id: Uuid,
    /// How far it has come.
    pub state: ErasureState,
    /// What becomes of memories.
    pub memories: ErasedMemories,
    /// How many runs were removed so far.
    pub traces: u64,
    /// How many rows were removed so far, by table; of `review` and `memory_stat`, rows that lost their words.
    pub removed: BTreeMap<String, u64>,
    /// What stays on purpose, and why.
    pub stays: Vec<String>,
    /// Where copies may still be, and for how long.
    pub copies: Vec<String>,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When it was done.
    pub finished_at: Option<DateTime<Utc>>,
}
