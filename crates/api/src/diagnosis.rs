//! What the server can say of itself to whoever looks for what is wrong.

use reflect_types::{Scope, Trust};
use serde::{Deserialize, Serialize};

/// Who asks, and how the models are doing that their project needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnosis {
    /// How reviews and the audit log name the caller: `key:` and what may be shown of the key, or `member:` and a name.
    pub caller: String,
    /// What the caller may do.
    pub scopes: Vec<Scope>,
    /// How far what comes from the caller is believed.
    pub trust: Trust,
    /// What writes lessons; null when none is set, and lessons are put together without a model.
    pub text_model: Option<TextModelState>,
    /// What makes vectors; null when none is set, and memories are searched by their words.
    pub embedder: Option<EmbedderState>,
}

/// How the model is doing that writes lessons. It is not asked, because that costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TextModelState {
    /// Its name.
    pub model: String,
    /// For how many seconds it is left alone because it did not answer; null when it is not.
    pub resting_seconds: Option<f64>,
}

/// How the embedder is doing, found out by asking it for one vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbedderState {
    /// Its name.
    pub model: String,
    /// How long its answer took, in milliseconds; null when there was none.
    pub answered_in_ms: Option<f64>,
    /// How many numbers a vector has; null when there was none.
    pub dimensions: Option<usize>,
    /// Why there was none.
    pub error: Option<String>,
}
