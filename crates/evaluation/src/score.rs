//! How good an attempt was, as a number that cannot be out of range.

use serde::{Deserialize, Serialize};

/// How good an attempt was: 0 not at all, 1 as good as can be.
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

/// A number that is no score.
///
/// See [`Score`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a score lies between 0 and 1")]
pub struct InvalidScore;

impl Score {
    /// As good as can be.
    pub const FULL: Self = Self(1.0);
    /// Half way: the threshold of a criterion that names none.
    pub const HALF: Self = Self(0.5);
    /// Not good at all.
    pub const NONE: Self = Self(0.0);

    /// A number between 0 and 1.
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
