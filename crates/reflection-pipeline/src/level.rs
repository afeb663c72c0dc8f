//! The level of a reflection: the data in the prompt, and the requested output.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::UnknownName;

/// The depth of a reflection. It selects the data in the prompt, and so determines the cost.
///
/// | Level | Data in the prompt | Requested output |
/// |---|---|---|
/// | shallow | task, answer, error, verdict, feedback | an observation |
/// | medium | the same, earlier notes, and a trajectory of at most 1,600 tokens | findings and suggestions |
/// | deep | the same, with a trajectory of at most 24,000 tokens | root causes, each with the message where it began |
/// | meta | earlier reflections instead of a run | recurring patterns |
///
/// ```
/// use reflection_pipeline::ReflectionLevel;
///
/// assert_eq!(ReflectionLevel::Deep.to_string(), "deep");
/// assert!(ReflectionLevel::Shallow < ReflectionLevel::Deep);
/// assert!(!ReflectionLevel::Shallow.shows_trajectory());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReflectionLevel {
    /// The answer and its feedback.
    Shallow,
    /// The answer and a short trajectory.
    Medium,
    /// The whole run, with root causes.
    Deep,
    /// Patterns over many reflections.
    Meta,
}

impl ReflectionLevel {
    /// All levels, the least deep first.
    pub const ALL: [Self; 4] = [Self::Shallow, Self::Medium, Self::Deep, Self::Meta];

    /// The name of the level.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Medium => "medium",
            Self::Deep => "deep",
            Self::Meta => "meta",
        }
    }

    /// Whether the prompt contains the trajectory.
    pub const fn shows_trajectory(self) -> bool {
        matches!(self, Self::Medium | Self::Deep)
    }

    /// The default budget in tokens for the trajectory, or for earlier reflections at level meta.
    ///
    /// The budget of medium equals the limit of observations in the programs of the Reflexion paper. The budget of deep
    /// only limits extreme runs, because most trajectories are shorter.
    pub const fn budget(self) -> usize {
        match self {
            Self::Shallow => 0,
            Self::Medium => 1_600,
            Self::Deep => 24_000,
            Self::Meta => 16_000,
        }
    }
}

impl fmt::Display for ReflectionLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ReflectionLevel {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == word);
        known.ok_or_else(|| UnknownName::new("reflection level", word))
    }
}
