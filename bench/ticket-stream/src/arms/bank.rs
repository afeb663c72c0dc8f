//! The memories of an arm, and how a run becomes memories. Memories of one state share its vector.

use std::collections::HashMap;
use std::sync::Arc;

use reflect_case_stream::arms::highest;
use reflect_case_stream::vectors::inner_product;
use reflect_rules::run_lessons::{LessonUnit, lesson_units};

use super::{Advice, Author, Review, Vote};
use crate::environment::Situation;

/// A memory before it is added.
#[derive(Debug, Clone)]
pub(super) struct NewMemory {
    /// The state that it is found by.
    pub(super) state: Arc<Situation>,
    /// What it advises: one step, or all steps of a run in order.
    pub(super) steps: Vec<Advice>,
    /// Who wrote it.
    pub(super) author: Author,
}

impl NewMemory {
    /// The memories of a run: one per step, or one for all of it.
    pub(super) fn all(review: &Review<'_>, per_run: bool) -> Vec<Self> {
        let run = review.run;
        let done = || run.steps.iter().map(|step| (Arc::clone(&step.state), step.action));
        let end = review.missing.map(|(action, author)| ((Arc::clone(&run.end), action), author));
        // The last state of a failed run is marked without an action.
        let marks = done().map(|_| true).chain(end.iter().map(|_| false));
        let marks: Vec<bool> = if per_run { Vec::new() } else { marks.collect() };
        let units = lesson_units(review.passed, review.has_words(), &marks);
        let memory = |unit: LessonUnit| match (unit, &end) {
            (LessonUnit::Step(step), _) => {
                let advice = done().nth(step)?;
                Some(Self { state: Arc::clone(&advice.0), steps: vec![advice], author: Author::Run })
            }
            (LessonUnit::End, Some((advice, author))) => {
                Some(Self { state: Arc::clone(&advice.0), steps: vec![advice.clone()], author: *author })
            }
            (LessonUnit::Run, Some((advice, author))) => {
                Some(Self { state: Arc::clone(run.first()), steps: vec![advice.clone()], author: *author })
            }
            (_, None) => {
                Some(Self { state: Arc::clone(run.first()), steps: done().collect(), author: Author::Run })
            }
        };
        units.into_iter().filter_map(memory).filter(|memory| !memory.steps.is_empty()).collect()
    }

    /// Its action, if it has one.
    pub(super) fn action(&self) -> Option<usize> {
        self.steps.first().filter(|_| self.steps.len() == 1).map(|step| step.1)
    }
}

/// A stored memory.
#[derive(Debug)]
struct Memory {
    /// The index of its state.
    key: usize,
    steps: Vec<Advice>,
}

/// The memories of an arm, in order of creation.
#[derive(Debug, Default)]
pub(super) struct Bank {
    states: Vec<Arc<Situation>>,
    keys: HashMap<usize, usize>,
    memories: Vec<Memory>,
}

impl Bank {
    /// Adds a memory and returns its index.
    pub(super) fn add(&mut self, memory: NewMemory) -> usize {
        let NewMemory { state, steps, .. } = memory;
        let key = *self.keys.entry(state.id).or_insert(self.states.len());
        if key == self.states.len() {
            self.states.push(state);
        }
        self.memories.push(Memory { key, steps });
        self.memories.len() - 1
    }

    /// The number of memories.
    pub(super) const fn len(&self) -> usize {
        self.memories.len()
    }

    /// The similarity of a state to that of each memory.
    pub(super) fn similarities(&self, state: &Situation) -> Vec<f32> {
        let row: Vec<f32> =
            self.states.iter().map(|known| inner_product(&state.vector, &known.vector)).collect();
        self.memories.iter().map(|memory| row[memory.key]).collect()
    }

    /// The most similar memories among some, with their similarities. Of equal ones the older one comes first.
    pub(super) fn nearest(
        &self,
        similarities: &[f32],
        count: usize,
        among: impl Fn(usize) -> bool,
    ) -> Vec<(usize, f32)> {
        let memories = (0..self.len()).filter(|memory| among(*memory));
        highest(memories.map(|memory| (memory, similarities[memory])), count)
    }

    /// A memory with what it advises in a state: the step that was not taken yet and whose state is most similar.
    pub(super) fn vote(
        &self,
        (memory, similarity): (usize, f32),
        votes: usize,
        state: &Situation,
        taken: &[usize],
    ) -> Vote {
        let left = self.memories[memory].steps.iter().filter(|(_, action)| !taken.contains(action));
        let left: Vec<&Advice> = left.collect();
        let action = match left.as_slice() {
            [] => None,
            [one] => Some(one.1),
            several => {
                let similar = several.iter().map(|step| inner_product(&step.0.vector, &state.vector));
                highest(similar.enumerate(), 1).first().map(|(step, _)| several[*step].1)
            }
        };
        Vote { memory, similarity, votes, action }
    }

    /// The text of the state of a memory, and its action.
    pub(super) fn described(&self, memory: usize) -> (&str, Option<usize>) {
        let Memory { key, steps } = &self.memories[memory];
        (self.states[*key].text.as_str(), steps.first().map(|step| step.1))
    }
}
