//! The embedding migration of a project: the change to another embedding model.

use chrono::{DateTime, Utc};
use reflect_types::{EmbeddedText, MemoryId, RetrievalId, SpaceChangeState};
use serde::{Deserialize, Serialize};

/// An embedding space of the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingSpace {
    /// The number of the space, as in the receipts of the database.
    pub space_id: i16,
    /// The provider that computes the vectors.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The revision, which distinguishes two model files with the same name.
    pub revision: String,
    /// The number of dimensions of a vector.
    pub dimensions: usize,
    /// Which text of a memory is embedded: `task` or `reflection`.
    pub key_text: EmbeddedText,
    /// The lowest similarity of a served memory: the project's setting for this space, or the default of the space.
    pub similarity_threshold: f32,
    /// Whether this server has the embedder for this space.
    pub has_embedder: bool,
}

/// Which spaces are used for search and for new memories, and the progress of the last embedding migration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingChange {
    /// The space that retrievals search. Null before the first vector exists.
    pub reads: Option<EmbeddingSpace>,
    /// The spaces in which new memories are indexed. There are two during a migration.
    pub writes: Vec<EmbeddingSpace>,
    /// The state of the last migration: `filling`, `ready`, `switched`, `rolled_back`, `abandoned` or
    /// `finished`. Null if there was none.
    pub state: Option<SpaceChangeState>,
    /// The old space.
    pub from: Option<EmbeddingSpace>,
    /// The new space.
    pub to: Option<EmbeddingSpace>,
    /// How many memories are embedded.
    pub done: i64,
    /// How many memories must be embedded. New memories can increase both numbers.
    pub total: i64,
    /// Why the migration is waiting, if it is.
    pub last_error: Option<String>,
    /// When the migration started.
    pub started_at: Option<DateTime<Utc>>,
    /// When retrievals last switched to the new space. After seven days the migration finishes automatically.
    pub switched_at: Option<DateTime<Utc>>,
    /// When the state last changed.
    pub updated_at: Option<DateTime<Utc>>,
}

/// An empty object: `{}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingStep {}

/// Makes retrievals search the new space.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SwitchEmbedding {
    /// The lowest similarity in the new space, -1 to 1. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f32>,
}

/// Runs recent queries against both spaces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CompareEmbeddings {
    /// How many queries, 50 to 500. Default: 200. A repeated query counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<usize>,
    /// The largest number of memories for each query, 1 to 100. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// A threshold to try in the new space, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f32>,
}

/// How much one space serves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ServedBySpace {
    /// The lowest similarity that was applied.
    pub similarity_threshold: f32,
    /// How many queries have at least one memory.
    pub questions: usize,
    /// How many memories all queries together have.
    pub memories: usize,
}

/// A query with different results in the two spaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangedQuestion {
    /// The last receipt of this query.
    pub retrieval_id: RetrievalId,
    /// The query.
    pub task: String,
    /// The share of memories that both spaces serve.
    pub overlap: f64,
    /// By how many ranks memories move, on average.
    pub rank_change: f64,
    /// The memories of the old space, best first.
    pub from: Vec<MemoryId>,
    /// The memories of the new space, best first.
    pub to: Vec<MemoryId>,
}

/// How much the results of two spaces differ for the same queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingComparison {
    /// How many queries were compared.
    pub questions: usize,
    /// The largest number of memories for each query.
    pub limit: usize,
    /// The mean share of memories that both spaces serve. 1 means that they serve the same memories.
    pub overlap: f64,
    /// The share of queries with the same first memory.
    pub same_first: f64,
    /// The mean number of ranks by which memories move. A memory that only one space serves counts as ranked directly
    /// after the last memory of the other space.
    pub rank_change: f64,
    /// How much the old space serves.
    pub from: ServedBySpace,
    /// How much the new space serves.
    pub to: ServedBySpace,
    /// The threshold with which the new space serves the same share of its candidates as the old one.
    pub suggested_similarity_threshold: Option<f32>,
    /// The ten queries that change most.
    pub most_changed: Vec<ChangedQuestion>,
}
