//! Ranking as in MemRL (arXiv 2601.03192): the ten nearest memories, z-scores of similarity and utility, and a constant
//! learning rate for every memory of a run.

use super::bank::{Bank, NewMemory};
use super::{Arm, LIMIT, Review, UNDECIDED, Vote};
use crate::environment::Situation;
use reflect_case_stream::arms::highest;

const POOL: usize = 10;
const ALPHA: f32 = 0.3;
/// The maximum z-score of a utility.
const FARTHEST: f32 = 3.0;

/// Ranks by the sum of two scores.
#[derive(Debug)]
pub(super) struct MemRl {
    bank: Bank,
    utilities: Vec<f32>,
    mean: f32,
    deviation: f32,
}

impl MemRl {
    /// With the mean and the standard deviation of similarities.
    pub(super) fn new((mean, deviation): (f32, f32)) -> Self {
        Self { bank: Bank::default(), utilities: Vec::new(), mean, deviation }
    }
}

impl Arm for MemRl {
    fn choose(&mut self, state: &Situation, taken: &[usize]) -> anyhow::Result<Vec<Vote>> {
        let pool = self.bank.nearest(&self.bank.similarities(state), POOL, |_| true);
        let utilities: Vec<f32> = pool.iter().map(|(memory, _)| self.utilities[*memory]).collect();
        let scores = pool.iter().zip(scaled(&utilities)).map(|((_, similarity), utility)| {
            0.5 * (similarity - self.mean) / self.deviation + 0.5 * utility
        });
        // The pool is sorted, so of equal scores the more similar one comes first, then the older one.
        let best = highest(scores.enumerate(), LIMIT).into_iter();
        Ok(best.map(|(place, _)| self.bank.vote(pool[place], 1, state, taken)).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        for memory in review.run.shown() {
            self.utilities[memory] += ALPHA * (review.reward() - self.utilities[memory]);
        }
        for memory in NewMemory::all(review, false) {
            self.bank.add(memory);
            self.utilities.push(UNDECIDED);
        }
        Ok(())
    }

    fn size(&self) -> (usize, usize) {
        (self.bank.len(), self.bank.len())
    }
}

/// Utilities as z-scores.
fn scaled(utilities: &[f32]) -> Vec<f32> {
    let count = utilities.len().max(1) as f32;
    let mean = utilities.iter().sum::<f32>() / count;
    let deviation = (utilities.iter().map(|utility| (utility - mean).powi(2)).sum::<f32>() / count).sqrt();
    // All values are equal, so the deviation is 0.
    let deviation = if deviation > 1e-6 { deviation } else { 1.0 };
    utilities.iter().map(|utility| ((utility - mean) / deviation).clamp(-FARTHEST, FARTHEST)).collect()
}
