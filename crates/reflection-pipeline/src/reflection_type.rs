//! What a reflection is about, and how that follows from the outcome of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{ReflectionInput, UnknownWord};

/// A run that passed with a lower score than this left something to improve.
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
    /// On a run that passed and could have been better or cheaper.
    Optimization,
    /// On what several runs have in common.
    Pattern,
    /// On a run of which nobody said whether it passed.
    Insight,
}

impl ReflectionType {
    /// All five, in the order in which a summary counts them.
    pub const ALL: [Self; 5] =
        [Self::Success, Self::Failure, Self::Optimization, Self::Pattern, Self::Insight];

    /// The word itself.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Optimization => "optimization",
            Self::Pattern => "pattern",
            Self::Insight => "insight",
        }
    }

    /// The type that follows from how a run came out: pass is success, fail is failure, a pass with a score below
    /// [`LOW_SCORE`] is optimization, and no verdict is insight.
    ///
    /// ```
    /// use reflection_pipeline::{ReflectionInput, ReflectionType};
    ///
    /// let weak = ReflectionInput { passed: Some(true), score: Some(0.4), ..Default::default() };
    /// assert_eq!(ReflectionType::of_outcome(&weak), ReflectionType::Optimization);
    /// ```
    pub fn of_outcome(input: &ReflectionInput) -> Self {
        Self::of_outcome_within(input, LOW_SCORE, None)
    }

    /// The same with limits of one's own.
    pub(crate) fn of_outcome_within(input: &ReflectionInput, low_score: f64, high_cost: Option<f64>) -> Self {
        let weak = input.score.is_some_and(|score| score < low_score);
        let costly = input.cost.zip(high_cost).is_some_and(|(cost, limit)| cost > limit);
        match input.passed {
            Some(true) if weak || costly => Self::Optimization,
            Some(true) => Self::Success,
            Some(false) => Self::Failure,
            None => Self::Insight,
        }
    }
}

impl fmt::Display for ReflectionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ReflectionType {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == word);
        known.ok_or_else(|| UnknownWord::new("reflection type", word))
    }
}
