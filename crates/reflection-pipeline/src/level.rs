//! How deep a reflection goes: what it is shown and what is asked of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::UnknownWord;

/// Depth of a reflection. It decides what the model is shown, and therefore what a reflection costs.
///
/// | Level | Is shown | Is asked for |
/// |---|---|---|
/// | shallow | task, answer, error, verdict, feedback | an observation |
/// | medium | that, earlier notes, and a trajectory cut to 1,600 tokens | findings and suggestions |
/// | deep | that, with up to 24,000 tokens of trajectory | root causes, each with the message where it began |
/// | meta | earlier reflections instead of a run | what recurs in them |
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
    /// The answer and what was said of it.
    Shallow,
    /// The answer and how it came about, in short.
    Medium,
    /// The whole run, and why it went as it did.
    Deep,
    /// Over many reflections.
    Meta,
}

impl ReflectionLevel {
    /// All four, from the surface down.
    pub const ALL: [Self; 4] = [Self::Shallow, Self::Medium, Self::Deep, Self::Meta];

    /// The word itself.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Medium => "medium",
            Self::Deep => "deep",
            Self::Meta => "meta",
        }
    }

    /// Whether the trajectory of the run is shown.
    pub const fn shows_trajectory(self) -> bool {
        matches!(self, Self::Medium | Self::Deep)
    }

    /// How many tokens of trajectory, or of earlier reflections for meta, are shown unless told otherwise.
    ///
    /// Medium is what the Reflexion paper's own programs cut observations to. Deep is a bound against runaway runs
    /// rather than a cut: most trajectories are shorter.
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
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == word);
        known.ok_or_else(|| UnknownWord::new("reflection level", word))
    }
}
