//! The arms: methods to choose the memories for a run, and to learn from its review.

mod blend;
mod judge;
mod lessons;
mod list;
mod memrl;
mod nearest;
mod oracles;
mod recommended;
#[cfg(test)]
mod tests;
mod thompson;

use crate::agent::Decision;
use crate::environment::Environment;
pub use list::{
    Entry, FINAL, LESSON_ARMS, MEMRL, NONE, OF_SIGNALS, RECOMMENDED, REPLAY, SIMILARITY, all, named,
    of_signals,
};

/// The number of memories that a run is shown.
pub const LIMIT: usize = 5;
/// The weight of utility against similarity, where both are blended.
const WEIGHT: f32 = 0.5;
/// The initial utility.
const UNDECIDED: f32 = 0.5;

/// A query to an arm.
#[derive(Debug)]
pub struct Question<'a> {
    /// The task, as an index into the dataset.
    pub query: usize,
    /// Its similarity to each memory.
    pub similarities: &'a [f32],
    /// Its similarity to each earlier task.
    pub earlier: &'a [f32],
    /// The memories.
    pub bank: &'a Bank,
    /// The right tool. Only for oracles.
    pub truth: usize,
    /// Whether its run will be reviewed, so that exploration can pay off.
    pub learning: bool,
}

/// The outcome of a run, as an arm gets it.
#[derive(Debug)]
pub struct Review<'a> {
    /// The task, as an index into the dataset.
    pub query: usize,
    /// Its position in the stream.
    pub task: usize,
    /// Its similarity to each memory.
    pub similarities: &'a [f32],
    /// Its similarity to each earlier task.
    pub earlier: &'a [f32],
    /// Whether each earlier run passed.
    pub reviews: &'a [bool],
    /// The memories.
    pub bank: &'a Bank,
    /// The memories that were shown, once per vote.
    pub shown: &'a [usize],
    /// What the agent did.
    pub decision: Decision,
    /// The result of the review.
    pub passed: bool,
    /// Whether the review of a failed run names the right tool.
    pub has_words: bool,
    /// The tool that the memory of this run will advise.
    pub lesson: usize,
}

impl Review<'_> {
    /// Whether the agent followed the advice of a memory.
    pub fn followed(&self, memory: usize) -> bool {
        self.bank.advice(memory) == Some(self.decision.action)
    }

    /// The result as a number.
    pub const fn reward(&self) -> f32 {
        if self.passed { 1.0 } else { 0.0 }
    }
}

/// A method to choose memories.
pub trait Arm {
    /// The tool that each imported memory advises.
    fn import(&mut self, environment: &Environment<'_>) -> Vec<usize> {
        environment.advice.clone()
    }

    /// The memories to show, best first, once per vote.
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>>;

    /// Processes a review.
    fn learn(&mut self, _: &Review<'_>) -> anyhow::Result<()> {
        Ok(())
    }

    /// Adds the memory of a run that was learned from. Returns the tool that it advises, or `None` if it is not searched.
    fn add(&mut self, review: &Review<'_>) -> Option<usize> {
        Some(review.lesson)
    }

    /// Whether a memory is still searched.
    fn is_active(&self, _memory: usize) -> bool {
        true
    }

    /// The lesson of a memory: the number of the memory that founded it.
    fn lesson(&self, memory: usize) -> usize {
        memory
    }
}

/// The memories: the tool that each advises, in order of creation. A run without a memory leaves a gap.
#[derive(Debug, Clone)]
pub struct Bank {
    advice: Vec<Option<usize>>,
}

impl Bank {
    /// A bank with the imported memories.
    pub fn new(imported: &[usize]) -> Self {
        Self { advice: imported.iter().copied().map(Some).collect() }
    }

    /// Adds the memory of a run.
    pub fn add(&mut self, advice: Option<usize>) {
        self.advice.push(advice);
    }

    /// The tool that a memory advises, if the memory exists.
    pub fn advice(&self, memory: usize) -> Option<usize> {
        self.advice.get(memory).copied().flatten()
    }

    /// The number of entries, including gaps.
    pub fn len(&self) -> usize {
        self.advice.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.advice.is_empty()
    }

    /// The advice of these memories, with their similarities.
    pub fn advised<'a>(
        &'a self,
        shown: &'a [usize],
        row: &'a [f32],
    ) -> impl Iterator<Item = (f32, usize)> + 'a {
        shown.iter().filter_map(|memory| Some((row[*memory], self.advice(*memory)?)))
    }

    /// The memories and the tools that they advise.
    pub(crate) fn memories(&self) -> impl Iterator<Item = (usize, usize)> {
        self.advice.iter().enumerate().filter_map(|(memory, advice)| Some((memory, (*advice)?)))
    }
}

/// The highest values with their indexes, highest first. Of equal values, the earlier one comes first.
pub fn highest(values: impl IntoIterator<Item = (usize, f32)>, count: usize) -> Vec<(usize, f32)> {
    let mut best: Vec<(usize, f32)> = Vec::with_capacity(count + 1);
    for (at, value) in values {
        if best.len() == count && best.last().is_none_or(|last| value <= last.1) {
            continue;
        }
        let place = best.partition_point(|other| other.1 >= value);
        best.insert(place, (at, value));
        best.truncate(count);
    }
    best
}

/// The memories that are most similar to a query, with their similarities.
fn nearest(question: &Question<'_>, count: usize) -> Vec<(usize, f32)> {
    let memories = question.bank.memories();
    highest(memories.map(|(memory, _)| (memory, question.similarities[memory])), count)
}

/// A value for each memory. Most memories have the initial one.
#[derive(Debug, Clone)]
struct PerMemory<T> {
    values: Vec<T>,
    first: T,
}

impl<T: Clone> PerMemory<T> {
    const fn new(first: T) -> Self {
        Self { values: Vec::new(), first }
    }

    fn get(&self, memory: usize) -> &T {
        self.values.get(memory).unwrap_or(&self.first)
    }

    fn get_mut(&mut self, memory: usize) -> &mut T {
        if self.values.len() <= memory {
            self.values.resize(memory + 1, self.first.clone());
        }
        &mut self.values[memory]
    }
}
