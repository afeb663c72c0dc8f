//! The verdict of an evaluation.

use std::fmt;
use std::str::FromStr;

use reflect_types::ReviewResult;
use serde::{Deserialize, Deserializer, Serialize};

/// The verdict of an evaluator on an attempt.
///
/// Verdicts are ordered: fail, unclear, pass.
///
/// ```
/// use reflect_evaluation::Verdict;
///
/// assert_eq!("Success".parse(), Ok(Verdict::Pass));
/// assert!("unsuccessful".parse::<Verdict>().is_err());
/// assert!(Verdict::Fail < Verdict::Unclear && Verdict::Unclear < Verdict::Pass);
/// assert_eq!(serde_json::to_string(&Verdict::Unclear).unwrap(), r#""unclear""#);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The attempt did not do the task.
    Fail,
    /// Undecided. It gives no credit.
    Unclear,
    /// The attempt did the task.
    Pass,
}

/// A word that is not a verdict.
///
/// See [`Verdict`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no verdict, expected pass, fail or unclear")]
pub struct UnknownVerdict(String);

impl Verdict {
    /// The name of the verdict.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Unclear => "unclear",
            Self::Pass => "pass",
        }
    }

    /// The result of a review with this verdict. `None` if the verdict is unclear.
    ///
    /// ```
    /// use reflect_evaluation::Verdict;
    ///
    /// assert_eq!(Verdict::Unclear.result(), None);
    /// ```
    pub const fn result(self) -> Option<ReviewResult> {
        match self {
            Self::Fail => Some(ReviewResult::Fail),
            Self::Unclear => None,
            Self::Pass => Some(ReviewResult::Pass),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    /// Parses one whole word, ignoring case. Negated and inflected words such as `unsuccessful` are rejected.
    fn from_str(word: &str) -> Result<Self, UnknownVerdict> {
        match word.to_ascii_lowercase().as_str() {
            "pass" | "passed" | "success" => Ok(Self::Pass),
            "fail" | "failed" | "failure" => Ok(Self::Fail),
            "unclear" => Ok(Self::Unclear),
            // Limits the size of the error message.
            _ => Err(UnknownVerdict(word.chars().take(40).collect())),
        }
    }
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
        word.trim().parse().map_err(serde::de::Error::custom)
    }
}

impl From<bool> for Verdict {
    fn from(passed: bool) -> Self {
        if passed { Self::Pass } else { Self::Fail }
    }
}

impl From<ReviewResult> for Verdict {
    fn from(result: ReviewResult) -> Self {
        Self::from(result == ReviewResult::Pass)
    }
}
