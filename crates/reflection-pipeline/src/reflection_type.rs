//! The type of a reflection.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::UnknownName;

/// A passed run with a lower score has the type optimization.
pub const LOW_SCORE: f64 = 0.8;

/// Category of a reflection.
///
/// ```
/// use reflection_pipeline::ReflectionType;
///
/// assert_eq!(ReflectionType::Success.to_string(), "success");
/// assert_eq!("pattern".parse(), Ok(ReflectionType::Pattern));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReflectionType {
    /// On a run that passed.
    Success,
    /// On a run that failed.
    Failure,
    /// On a run that passed with a low score or a high cost.
    Optimization,
    /// On the common patterns of several runs.
    Pattern,
    /// On a run without a verdict.
    Insight,
}

impl ReflectionType {
    /// All types, in the order of a summary.
    pub const ALL: [Self; 5] =
        [Self::Success, Self::Failure, Self::Optimization, Self::Pattern, Self::Insight];

    /// The name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Optimization => "optimization",
            Self::Pattern => "pattern",
            Self::Insight => "insight",
        }
    }
}

impl fmt::Display for ReflectionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ReflectionType {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == word);
        known.ok_or_else(|| UnknownName::new("reflection type", word))
    }
}
