//! The most similar memories, regardless of their outcomes.

use super::bank::{Bank, NewMemory};
use super::{Arm, LIMIT, Review, Vote};
use crate::environment::Situation;

/// Shows the most similar memories.
#[derive(Debug, Default)]
pub(super) struct Similarity {
    bank: Bank,
}

impl Arm for Similarity {
    fn choose(&mut self, state: &Situation, taken: &[usize]) -> anyhow::Result<Vec<Vote>> {
        let nearest = self.bank.nearest(&self.bank.similarities(state), LIMIT, |_| true);
        Ok(nearest.into_iter().map(|memory| self.bank.vote(memory, 1, state, taken)).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        for memory in NewMemory::all(review, false) {
            self.bank.add(memory);
        }
        Ok(())
    }

    fn size(&self) -> (usize, usize) {
        (self.bank.len(), self.bank.len())
    }
}
