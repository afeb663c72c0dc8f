//! The result of a run, the state of its processing, and other words of the API that are stored as numbers.
//!
//! Aliases of older clients are accepted here and nowhere else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// A word that is not one of the expected ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{word}\", expected {expected}")]
pub struct UnknownWord {
    what: &'static str,
    word: String,
    expected: &'static str,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, word: &str, expected: &'static str) -> Self {
        // A long word from a client must not fill an error message.
        let word = word.chars().take(40).collect();
        Self { what, word, expected }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident as $what:literal, expected $expected:literal {
        $($(#[$variant_doc:meta])* $variant:ident = $number:literal: $word:literal $(| $alias:literal)*),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The stored number.
            pub const fn code(self) -> i16 {
                match self { $(Self::$variant => $number),+ }
            }

            /// The value with this stored number, if there is one.
            pub const fn from_code(code: i16) -> Option<Self> {
                match code { $($number => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word.to_ascii_lowercase().as_str() {
                    $($word $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err(UnknownWord::new($what, word, $expected)),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The verdict of a review.
    ///
    /// ```
    /// use reflect_types::ReviewResult;
    ///
    /// assert_eq!("Success".parse(), Ok(ReviewResult::Pass));
    /// assert!("partial".parse::<ReviewResult>().is_err());
    /// ```
    ReviewResult as "result", expected "pass or fail" {
        /// The run did what it was asked to do.
        Pass = 1: "pass" | "success",
        /// It did not.
        Fail = 0: "fail" | "failure",
    }
}

words! {
    /// Whether a trace's review has been turned into a memory.
    ReviewStatus as "review status", expected "pending or reviewed" {
        /// The run has no review, or its lesson is still being written.
        Pending = 0: "pending",
        /// The memory exists.
        Reviewed = 1: "reviewed",
    }
}

words! {
    /// How far the processing of a trace has come.
    IngestStatus as "ingest status", expected "queued, processing, completed or failed" {
        /// It waits for a worker.
        Queued = 0: "queued",
        /// A worker processes it.
        Processing = 1: "processing",
        /// Nothing is left to do.
        Completed = 2: "completed",
        /// The last attempt failed; the trace says why.
        Failed = 3: "failed",
    }
}

words! {
    /// How a review reached us.
    ReviewMode as "review mode", expected "inline or deferred" {
        /// Together with its trace.
        Inline = 0: "inline",
        /// Later, in a call of its own.
        Deferred = 1: "deferred",
    }
}

words! {
    /// Where a memory's text came from.
    MemoryOrigin as "memory origin", expected "review, authored, offline, import or manual" {
        /// A model wrote it, reading a reviewed run.
        Review = 0: "review",
        /// The reviewer of the run wrote it.
        Authored = 1: "authored",
        /// Without a model: it was put together from task, outcome and feedback.
        Offline = 2: "offline",
        /// It was imported.
        Import = 3: "import",
        /// A person wrote it without a run.
        Manual = 4: "manual",
    }
}

words! {
    /// Whether a memory may be served.
    MemoryStatus as "memory status", expected "quarantined, active, retired, erased, disabled, merged or deleted" {
        /// It waits until a person or independent sources confirm it.
        Quarantined = 0: "quarantined",
        /// It may be served.
        Active = 1: "active",
        /// The review that it was learned from no longer counts.
        Retired = 2: "retired",
        /// Its text is gone.
        Erased = 3: "erased",
        /// A member took it out of use.
        Disabled = 4: "disabled",
        /// Another memory took its place.
        Merged = 5: "merged",
        /// A member deleted it; it can be restored.
        Deleted = 6: "deleted",
    }
}

words! {
    /// How it is known which memories a run had.
    Link as "link", expected "none, receipt, ids, trajectory or inferred" {
        /// It had none, or nothing says which.
        None = 0: "none",
        /// The run names the receipt of its retrieval.
        Receipt = 1: "receipt",
        /// The run names the memories.
        Ids = 2: "ids",
        /// They were found in the messages of the run.
        Trajectory = 3: "trajectory",
        /// The same key had retrieved memories for the same task shortly before.
        Inferred = 4: "inferred",
    }
}

words! {
    /// Which number is used as a memory's utility in ranking.
    Ranking as "ranking", expected "learned or classic" {
        /// Its credit: how much better runs with it went than expected, plus its uncertainty.
        Learned = 0: "learned",
        /// Its `q_value`.
        Classic = 1: "classic",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro derives the same for every word")]
impl Default for Ranking {
    fn default() -> Self {
        Self::Learned
    }
}

words! {
    /// What became of a memory that was considered for a task.
    Fate as "fate", expected "served, dissimilar, outranked, alike, heldout, noroom, bounded, samelesson or repeated" {
        /// It was served.
        Served = 0: "served",
        /// It was not similar enough.
        Dissimilar = 1: "dissimilar",
        /// Others ranked higher.
        Outranked = 2: "outranked",
        /// A similar one was served.
        Alike = 3: "alike",
        /// It was held back to compare runs with and without memories.
        HeldOut = 4: "heldout",
        /// It did not fit into the text.
        NoRoom = 5: "noroom",
        /// Its source is not trusted, and already has the most results that it may have.
        Bounded = 6: "bounded",
        /// A memory with the same lesson was served and stands for it. A review of the run counts for both.
        SameLesson = 7: "samelesson",
        /// Its lesson was served by another memory, and it ranks below the limit.
        Repeated = 8: "repeated",
    }
}

words! {
    /// On which side of a comparison a run is, where that was decided by lot.
    Arm as "arm", expected "without or with" {
        /// Memories were held back.
        Without = 0: "without",
        /// Memories were served.
        With = 1: "with",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_in_any_case_and_with_both_names() {
        for word in ["pass", "PASS", "success", "Success"] {
            assert_eq!(word.parse(), Ok(ReviewResult::Pass), "{word}");
        }
        for word in ["fail", "failure", "FAILURE"] {
            assert_eq!(word.parse(), Ok(ReviewResult::Fail), "{word}");
        }
    }

    #[test]
    fn an_unknown_word_is_named_with_the_expected_ones() {
        let error = "partial".parse::<ReviewResult>().unwrap_err();
        assert_eq!(error.to_string(), "unknown result \"partial\", expected pass or fail");
    }

    #[test]
    fn stored_numbers_are_read_back() {
        for status in
            [IngestStatus::Queued, IngestStatus::Processing, IngestStatus::Completed, IngestStatus::Failed]
        {
            assert_eq!(IngestStatus::from_code(status.code()), Some(status));
        }
        assert_eq!(IngestStatus::from_code(9), None);
    }
}
