//! What became of a run: the verdict on it, and how far its processing has come.
//!
//! Each word has one spelling inside; the aliases of older clients end here.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// A word that is none of the expected ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{word}\", expected {expected}")]
pub struct UnknownWord {
    what: &'static str,
    word: String,
    expected: &'static str,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, word: &str, expected: &'static str) -> Self {
        // A hostile word must not fill an error message.
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
            /// The word itself, as every body and page spells it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The number under which it is stored.
            pub const fn code(self) -> i16 {
                match self { $(Self::$variant => $number),+ }
            }

            /// The value stored under `code`, if there is one.
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
        /// Nobody has judged the run, or its lesson is still being written.
        Pending = 0: "pending",
        /// The memory exists.
        Reviewed = 1: "reviewed",
    }
}

words! {
    /// How far the processing of a trace has come.
    IngestStatus as "ingest status", expected "queued, processing, completed or failed" {
        /// Work waits for a worker.
        Queued = 0: "queued",
        /// A worker is on it.
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
        /// Whoever reviewed the run wrote it.
        Authored = 1: "authored",
        /// No model was there to write it: task, outcome and feedback were put together.
        Offline = 2: "offline",
        /// It was brought from elsewhere.
        Import = 3: "import",
        /// A person wrote it without a run.
        Manual = 4: "manual",
    }
}

words! {
    /// Whether a memory may be served.
    MemoryStatus as "memory status", expected "quarantined, active, retired, erased, disabled, merged or deleted" {
        /// It waits for somebody to vouch for it.
        Quarantined = 0: "quarantined",
        /// It may be served.
        Active = 1: "active",
        /// The review that it was learned from counts no more.
        Retired = 2: "retired",
        /// Its text is gone.
        Erased = 3: "erased",
        /// Somebody took it out of use.
        Disabled = 4: "disabled",
        /// Another memory took its place.
        Merged = 5: "merged",
        /// Somebody deleted it; it can still be brought back.
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
        /// The same key had asked for memories for the same task shortly before.
        Inferred = 4: "inferred",
    }
}

words! {
    /// What is taken for a memory's utility when memories are put in order.
    Ranking as "ranking", expected "learned or classic" {
        /// Its credit: what runs that used it were worth beyond expectation, raised while little is known.
        Learned = 0: "learned",
        /// Its `q_value` as it is.
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
    Fate as "fate", expected "served, dissimilar, outranked, alike, heldout, noroom or bounded" {
        /// It went out.
        Served = 0: "served",
        /// It was not similar enough.
        Dissimilar = 1: "dissimilar",
        /// Better ones took the places.
        Outranked = 2: "outranked",
        /// One that says much the same was served.
        Alike = 3: "alike",
        /// It was held back, so that runs with and without can be compared.
        HeldOut = 4: "heldout",
        /// The text had no room for it.
        NoRoom = 5: "noroom",
        /// Its source is not trusted, and had its share of the places already.
        Bounded = 6: "bounded",
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
    fn an_unknown_word_is_named_together_with_what_was_expected() {
        let error = "partial".parse::<ReviewResult>().unwrap_err();
        assert_eq!(error.to_string(), "unknown result \"partial\", expected pass or fail");
    }

    #[test]
    fn what_is_stored_is_read_back() {
        for status in
            [IngestStatus::Queued, IngestStatus::Processing, IngestStatus::Completed, IngestStatus::Failed]
        {
            assert_eq!(IngestStatus::from_code(status.code()), Some(status));
        }
        assert_eq!(IngestStatus::from_code(9), None);
    }
}
