//! No memories, or the most similar ones regardless of their outcomes.

use super::{Arm, LIMIT, Question, Review, nearest};

/// Shows no memories.
#[derive(Debug)]
pub(super) struct Nothing;

impl Arm for Nothing {
    fn choose(&mut self, _: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        Ok(Vec::new())
    }
}

/// Shows the most similar memories.
#[derive(Debug)]
pub(super) struct Nearest {
    /// Whether failed runs create no memory.
    pub(super) passes_only: bool,
}

impl Arm for Nearest {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        Ok(nearest(question, LIMIT).into_iter().map(|(memory, _)| memory).collect())
    }

    fn add(&mut self, review: &Review<'_>) -> Option<usize> {
        (review.passed || !self.passes_only).then_some(review.lesson)
    }
}
