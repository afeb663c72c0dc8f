//! Changing the embedding model of a project, as the contract shows it.

use chrono::{DateTime, Utc};
use reflect_types::{EmbeddedText, MemoryId, RetrievalId, SpaceChangeState};
use serde::{Deserialize, Serialize};

/// An embedding space, as the project sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingSpace {
    /// Its number, as receipts in the database have it.
    pub space_id: i16,
    /// Who computes the vectors.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What tells two files of one name apart.
    pub revision: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// What of a memory is embedded: `task` or `reflection`.
    pub key_text: EmbeddedText,
    /// The least similarity of a memory that is served: the project's own for this space, else the space's.
    pub similarity_threshold: f32,
    /// Whether this server has the embedder that makes its vectors.
    pub has_embedder: bool,
}

/// Where memories are searched and placed, and how far the last change of the embedding model has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingChange {
    /// The space that questions go to; null before the first vector.
    pub reads: Option<EmbeddingSpace>,
    /// The spaces that new memories are placed in: two while a change is live.
    pub writes: Vec<EmbeddingSpace>,
    /// How far the last change has come: `filling`, `ready`, `switched`, `rolled_back`, `abandoned` or
    /// `finished`; null when there was none.
    pub state: Option<SpaceChangeState>,
    /// The space it leads from.
    pub from: Option<EmbeddingSpace>,
    /// The space it leads to.
    pub to: Option<EmbeddingSpace>,
    /// How many memories were embedded for it.
    pub done: i64,
    /// How many there were to embed. New ones may add to both.
    pub total: i64,
    /// Why it waits, when it does.
    pub last_error: Option<String>,
    /// When it began.
    pub started_at: Option<DateTime<Utc>>,
    /// When questions last began to go to the new space. Seven days later it is finished by itself.
    pub switched_at: Option<DateTime<Utc>>,
    /// When anything last happened.
    pub updated_at: Option<DateTime<Utc>>,
}

/// Nothing to say: `{}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingStep {}

/// Lets questions go to the new space.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SwitchEmbedding {
    /// The least similarity there from now on, -1 to 1; as it was when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f32>,
}

/// Asks both spaces the questions that were last asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CompareEmbeddings {
    /// How many, 50 to 500; 200 when absent. The same question counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<usize>,
    /// The most memories for each, 1 to 100; 10 when absent.
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
    /// The least similarity that was applied.
    pub similarity_threshold: f32,
    /// For how many questions it has any memory.
    pub questions: usize,
    /// How many memories it has for all of them.
    pub memories: usize,
}

/// A question whose answer changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangedQuestion {
    /// The last receipt of this question.
    pub retrieval_id: RetrievalId,
    /// The question.
    pub task: String,
    /// The share of memories that both serve.
    pub overlap: f64,
    /// By how many places memories move, on average.
    pub rank_change: f64,
    /// What the old space serves, best first.
    pub from: Vec<MemoryId>,
    /// What the new one serves.
    pub to: Vec<MemoryId>,
}

/// How much the answers of two spaces to the same questions differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingComparison {
    /// How many questions were asked of both.
    pub questions: usize,
    /// The most memories for each.
    pub limit: usize,
    /// The mean share of memories that both serve: 1 when they serve the same ones.
    pub overlap: f64,
    /// The share of questions to which both give the same first memory.
    pub same_first: f64,
    /// The mean number of places by which memories move; one that only one of them serves counts as just behind
    /// the last place of the other.
    pub rank_change: f64,
    /// How much the old space serves.
    pub from: ServedBySpace,
    /// How much the new one serves.
    pub to: ServedBySpace,
    /// With this threshold the new space lets as large a share of its candidates through as the old one.
    pub suggested_similarity_threshold: Option<f32>,
    /// The ten questions that change most.
    pub most_changed: Vec<ChangedQuestion>,
}
