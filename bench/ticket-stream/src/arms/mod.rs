//! The arms: methods to choose the memories for a state, and to learn from the review of a run.

mod bank;
mod list;
mod memrl;
mod none;
mod product;
mod similarity;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use list::{
    ENDS_WHEN_SHOWN, Entry, LIKE_TASKS, MEMRL, NONE, PER_RUN, PRODUCT, SIMILARITY, UNGROUPED, all, compared,
};
pub(crate) use product::{Parts, Product};

use crate::environment::Situation;
use crate::stream::Run;

/// The number of votes in an answer.
pub const LIMIT: usize = 5;
/// The initial utility.
const UNDECIDED: f32 = 0.5;

/// A memory that is shown in a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// Its index.
    pub memory: usize,
    /// The similarity of its state.
    pub similarity: f32,
    /// How many runs it stands for in this answer.
    pub votes: usize,
    /// The action that it advises here, unless it was taken already.
    pub action: Option<usize>,
}

/// A reviewed run, as an arm gets it.
#[derive(Debug, Clone, Copy)]
pub struct Review<'a> {
    /// The run.
    pub run: &'a Run,
    /// The result of the review.
    pub passed: bool,
    /// For a failed run, the action that was missing in its last state, and who says so.
    pub missing: Option<(usize, Author)>,
}

/// Who wrote a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The run itself: what it did when it passed.
    Run,
    /// A reviewer who knows.
    Reviewer,
    /// The agent, or a model, which guesses.
    Guess,
}

impl Review<'_> {
    /// The result as a number.
    pub const fn reward(&self) -> f32 {
        if self.passed { 1.0 } else { 0.0 }
    }

    /// Whether a reviewer said what was missing.
    pub const fn has_words(&self) -> bool {
        matches!(self.missing, Some((_, Author::Reviewer)))
    }
}

/// A method to choose memories.
pub trait Arm {
    /// The memories for a state, best first. `taken` are the actions that the run has taken.
    fn choose(&mut self, state: &Situation, taken: &[usize]) -> anyhow::Result<Vec<Vote>>;

    /// Learns from a review.
    fn learn(&mut self, _: &Review<'_>) -> anyhow::Result<()> {
        Ok(())
    }

    /// The number of searched memories and of their lessons.
    fn size(&self) -> (usize, usize) {
        (0, 0)
    }
}

/// A state with the action to take in it.
type Advice = (Arc<Situation>, usize);
