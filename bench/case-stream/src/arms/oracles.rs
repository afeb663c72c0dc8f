//! Arms that know the outcome in advance: the upper bound for every other arm.

use super::{Arm, LIMIT, Question, highest};

/// Shows the most similar memories that advised the right tool for their own task, before any tool changed.
#[derive(Debug)]
pub(super) struct Quality {
    /// The right tool of each memory's task.
    pub(super) labels: Vec<usize>,
}

impl Arm for Quality {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        Ok(nearest_of(question, |memory, advice| self.labels[memory] == advice))
    }
}

/// Shows the most similar memories that advise the right tool for the current task.
#[derive(Debug)]
pub(super) struct Label;

impl Arm for Label {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        Ok(nearest_of(question, |_, advice| advice == question.truth))
    }
}

fn nearest_of(question: &Question<'_>, good: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let memories = question.bank.memories().filter(|(memory, advice)| good(*memory, *advice));
    let similar = memories.map(|(memory, _)| (memory, question.similarities[memory]));
    highest(similar, LIMIT).into_iter().map(|(memory, _)| memory).collect()
}
