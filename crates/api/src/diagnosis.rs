//! The diagnosis: the caller's access and the state of the models and of the search index.

use reflect_types::{GraphState, Scope, Trust};
use serde::{Deserialize, Serialize};

/// The caller's access and the state of the models that the project uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnosis {
    /// The caller's name in reviews and the audit log: `key:` and the public part of the key, or `member:` and a name.
    pub caller: String,
    /// The caller's scopes.
    pub scopes: Vec<Scope>,
    /// The trust level of what the caller writes.
    pub trust: Trust,
    /// The model that writes lessons. Null if none is configured; lessons are then assembled without a model.
    pub text_model: Option<TextModelState>,
    /// The embedding model. Null if none is configured; memories are then searched by keywords.
    pub embedder: Option<EmbedderState>,
    /// Whether the server's database connections take the restricted role. If not, row-level security and the append-only
    /// audit log depend on the owner of the tables. Null from a server that does not say.
    #[serde(default)]
    pub restricted_database_role: Option<bool>,
    /// The search graph of a project with many memories. Null if the project has none: its queries are exact.
    #[serde(default)]
    pub search_graph: Option<SearchGraphState>,
}

/// The state of a search graph: an approximate index of a project's vectors, which is used instead of exact search in a project
/// with many memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchGraphState {
    /// Queries use the graph only if it is `serving`.
    pub state: GraphState,
    /// The number of vectors it was built with.
    pub vectors: u64,
    /// The share of the nearest memories that it found in the last comparison with exact search. Null before the first one.
    pub recall: Option<f32>,
    /// The number of questions of that comparison.
    pub questions: u32,
    /// Why the last attempt to build or to check it failed.
    pub error: Option<String>,
}

/// The state of the model that writes lessons. The server does not call it for this, because a call costs money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TextModelState {
    /// The model's name.
    pub model: String,
    /// For how many more seconds the circuit breaker stays open after failures. Null if it is closed.
    pub resting_seconds: Option<f64>,
}

/// The state of the embedding model, measured with one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbedderState {
    /// The model's name.
    pub model: String,
    /// How long the call took, in milliseconds. Null if it failed.
    pub answered_in_ms: Option<f64>,
    /// The number of dimensions of a vector. Null if the call failed.
    pub dimensions: Option<usize>,
    /// Why the call failed.
    pub error: Option<String>,
}
