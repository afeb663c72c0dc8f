//! The arms: ways to choose the memories that a run is shown, and to learn from its review.

mod blend;
mod list;
mod memrl;
mod nearest;
mod oracles;
mod recommended;
#[cfg(test)]
mod tests;
mod thompson;

use crate::agent::Decision;
pub use list::{Entry, MEMRL, NONE, RECOMMENDED, SIMILARITY, all, named};

/// How many memories a run is shown.
pub const LIMIT: usize = 5;
/// How much utility counts against similarity, wherever the two are blended.
const WEIGHT: f32 = 0.5;
/// Where a utility starts.
const UNDECIDED: f32 = 0.5;

/// What is asked of an arm.
#[derive(Debug)]
pub struct Question<'a> {
    /// The task, as a number of the set.
    pub query: usize,
    /// Its similarity to each memory there may be.
    pub similarities: &'a [f32],
    /// Its similarity to each earlier task.
    pub earlier: &'a [f32],
    /// The memories.
    pub bank: &'a Bank,
    /// The right tool. For oracles only.
    pub truth: usize,
    /// Whether its run will be reviewed, so that trying something can pay.
    pub learning: bool,
}

/// What an arm is told of a run.
#[derive(Debug)]
pub struct Review<'a> {
    /// The task, as a number of the set.
    pub query: usize,
    /// Its place in the stream.
    pub task: usize,
    /// Its similarity to each earlier task.
    pub earlier: &'a [f32],
    /// Whether each earlier run passed.
    pub reviews: &'a [bool],
    /// The memories.
    pub bank: &'a Bank,
    /// Those that were shown.
    pub shown: &'a [usize],
    /// What the agent did.
    pub decision: Decision,
    /// What the review says.
    pub passed: bool,
    /// The tool that the run's own memory will advise.
    pub lesson: usize,
}

impl Review<'_> {
    /// Whether the agent did what a memory advised.
    pub fn followed(&self, memory: usize) -> bool {
        self.bank.advice(memory) == Some(self.decision.action)
    }

    /// The result as a number.
    pub const fn reward(&self) -> f32 {
        if self.passed { 1.0 } else { 0.0 }
    }
}

/// A way to choose memories.
pub trait Arm {
    /// The memories to show, best first.
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>>;

    /// Takes a review in.
    fn learn(&mut self, _: &Review<'_>) -> anyhow::Result<()> {
        Ok(())
    }

    /// Whether a run with this result becomes a memory.
    fn keeps(&self, _passed: bool) -> bool {
        true
    }
}

/// The memories: what each advises, in the order in which they came. A run that was not kept leaves a gap.
#[derive(Debug, Clone)]
pub struct Bank {
    advice: Vec<Option<usize>>,
}

impl Bank {
    /// A bank of what was imported.
    pub fn new(imported: &[usize]) -> Self {
        Self { advice: imported.iter().copied().map(Some).collect() }
    }

    /// Adds what a run left.
    pub fn add(&mut self, advice: Option<usize>) {
        self.advice.push(advice);
    }

    /// What a memory advises, if there is one.
    pub fn advice(&self, memory: usize) -> Option<usize> {
        self.advice.get(memory).copied().flatten()
    }

    /// How many memories there may be.
    pub fn len(&self) -> usize {
        self.advice.len()
    }

    /// Whether there can be none.
    pub fn is_empty(&self) -> bool {
        self.advice.is_empty()
    }

    /// What these memories advise, with their similarities.
    pub fn advised<'a>(
        &'a self,
        shown: &'a [usize],
        row: &'a [f32],
    ) -> impl Iterator<Item = (f32, usize)> + 'a {
        shown.iter().filter_map(|memory| Some((row[*memory], self.advice(*memory)?)))
    }

    /// The memories and what they advise.
    fn memories(&self) -> impl Iterator<Item = (usize, usize)> {
        self.advice.iter().enumerate().filter_map(|(memory, advice)| Some((memory, (*advice)?)))
    }
}

/// The highest of numbered values, highest first; of equals the earlier one.
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

/// The memories nearest to a question, with their similarities.
fn nearest(question: &Question<'_>, count: usize) -> Vec<(usize, f32)> {
    let memories = question.bank.memories();
    highest(memories.map(|(memory, _)| (memory, question.similarities[memory])), count)
}

/// A value for each memory, where most still have the first one.
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
