//! The result of a reflection.

use reflect_model::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::level::ReflectionLevel;
use crate::reflection_type::ReflectionType;

/// How the answer of the model was parsed. It is part of every result, so a caller can distinguish a reflection from an
/// answer that could not be parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Parse {
    /// The answer matched the schema.
    #[default]
    Clean,
    /// A later answer matched the schema, after the model got the error of the first one.
    Repaired,
    /// No answer matched the schema. The summary is the beginning of the text.
    Fallback {
        /// The exact answer. Empty without a model.
        raw: String,
    },
}

impl Parse {
    /// Whether the answer could not be parsed.
    pub const fn is_fallback(&self) -> bool {
        matches!(self, Self::Fallback { .. })
    }
}

/// The result of one reflection.
///
/// ```
/// use reflection_pipeline::{ReflectionLevel, ReflectionResult, ReflectionType};
///
/// let result = ReflectionResult {
///     suggestions: vec!["Validate the input first".into()],
///     ..ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "The input was null")
/// };
/// assert!(result.key_findings.is_empty());
/// assert_eq!(serde_json::to_value(&result).unwrap()["reflection_type"], "failure");
/// ```
///
/// A result is immutable unless it is declared as `mut`:
///
/// ```compile_fail,E0594
/// use reflection_pipeline::{ReflectionLevel, ReflectionResult, ReflectionType};
///
/// let result = ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "Failed");
/// result.summary = "changed".into();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionResult {
    /// The type of the reflection.
    pub reflection_type: ReflectionType,
    /// The level of the reflection.
    pub level: ReflectionLevel,
    /// A summary in one sentence.
    pub summary: String,
    /// The main findings.
    #[serde(default)]
    pub key_findings: Vec<String>,
    /// The root causes of the outcome.
    #[serde(default)]
    pub root_causes: Vec<String>,
    /// Insights that apply beyond this run.
    #[serde(default)]
    pub insights: Vec<String>,
    /// Suggestions for the next run.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// The name of the reflector (`reflector`), `parse_error: true` for a fallback, and entries of the reflector.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// How the answer was parsed.
    #[serde(default)]
    pub parse: Parse,
    /// The token usage.
    #[serde(default)]
    pub usage: Usage,
}

impl ReflectionResult {
    /// A result with only a summary.
    pub fn new(reflection_type: ReflectionType, level: ReflectionLevel, summary: impl Into<String>) -> Self {
        Self {
            reflection_type,
            level,
            summary: summary.into(),
            key_findings: Vec::new(),
            root_causes: Vec::new(),
            insights: Vec::new(),
            suggestions: Vec::new(),
            metadata: Map::new(),
            parse: Parse::Clean,
            usage: Usage::default(),
        }
    }
}
