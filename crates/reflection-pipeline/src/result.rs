//! What comes out of a reflection.

use reflect_model::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ReflectionLevel, ReflectionType};

/// How the model's answer became a reflection. It always reaches the caller: a reflection that only quotes an answer
/// which could not be read must not pass for one that was thought through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Parse {
    /// As asked for.
    #[default]
    Clean,
    /// As asked for, after the model was told what was wrong with its first answer.
    Repaired,
    /// Not as asked for. The summary is the beginning of the text.
    Fallback {
        /// The answer to the letter. Empty if there was no model to ask.
        raw: String,
    },
}

impl Parse {
    /// Whether the answer could not be read.
    pub const fn is_fallback(&self) -> bool {
        matches!(self, Self::Fallback { .. })
    }
}

/// Outcome of one reflection.
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
/// A result does not change unless its owner says so:
///
/// ```compile_fail,E0594
/// use reflection_pipeline::{ReflectionLevel, ReflectionResult, ReflectionType};
///
/// let result = ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "Failed");
/// result.summary = "changed".into();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionResult {
    /// Category of this reflection.
    pub reflection_type: ReflectionType,
    /// How deep it went.
    pub level: ReflectionLevel,
    /// All of it in one sentence.
    pub summary: String,
    /// What is worth noticing.
    #[serde(default)]
    pub key_findings: Vec<String>,
    /// Why the run came out as it did.
    #[serde(default)]
    pub root_causes: Vec<String>,
    /// What holds beyond this run.
    #[serde(default)]
    pub insights: Vec<String>,
    /// What to do next time.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// Who reflected (`reflector`), `parse_error: true` for a fallback, and what else a reflector wants to say.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// How the answer was read.
    #[serde(default)]
    pub parse: Parse,
    /// What it cost, in tokens.
    #[serde(default)]
    pub usage: Usage,
}

impl ReflectionResult {
    /// A result with nothing but a summary.
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
