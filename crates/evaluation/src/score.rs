//! A score from 0 to 1.

use serde::{Deserialize, Serialize};

/// The score of an attempt, from 0 (worst) to 1 (best).
///
/// ```
/// use reflect_evaluation::Score;
///
/// assert_eq!(Score::new(0.8).unwrap().get(), 0.8);
/// assert!(Score::new(85.0).is_err(), "per cent are not clamped to 1");
/// assert!(Score::new(f64::NAN).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Score(f64);

/// A number outside the range of scores.
///
/// See [`Score`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a score lies between 0 and 1")]
pub struct InvalidScore;

impl Score {
    /// The best score.
    pub const FULL: Self = Self(1.0);
    /// 0.5, the default threshold of a criterion.
    pub const HALF: Self = Self(0.5);
    /// The worst score.
    pub const NONE: Self = Self(0.0);

    /// Creates a score from a number between 0 and 1.
    pub fn new(value: f64) -> Result<Self, InvalidScore> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(InvalidScore) }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Score {
    type Error = InvalidScore;

    fn try_from(value: f64) -> Result<Self, InvalidScore> {
        Self::new(value)
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> f64 {
        score.0
    }
}
