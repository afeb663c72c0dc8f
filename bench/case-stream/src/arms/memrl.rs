//! Ranking as in MemRL (arXiv 2601.03192): the ten nearest memories, z-scores of similarity and utility, and a constant
//! learning rate for every memory of a run.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{Arm, LIMIT, PerMemory, Question, Review, UNDECIDED, highest, nearest};

const POOL: usize = 10;
const ALPHA: f32 = 0.3;
/// The mean and the standard deviation of similarities among the nearest memories. MemRL fixes both for each dataset;
/// these are the values of the prototype.
const MEAN: f32 = 0.45;
const DEVIATION: f32 = 0.15;
/// The maximum z-score of a utility.
const FARTHEST: f32 = 3.0;
/// The exploration rate, for the arm that explores.
const EPSILON: f64 = 0.1;

/// Ranks by the sum of two scores.
#[derive(Debug)]
pub(super) struct MemRl {
    utilities: PerMemory<f32>,
    tries: Option<SmallRng>,
}

impl MemRl {
    /// With random numbers, the arm explores sometimes.
    pub(super) const fn new(tries: Option<SmallRng>) -> Self {
        Self { utilities: PerMemory::new(UNDECIDED), tries }
    }
}

impl Arm for MemRl {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let mut pool = nearest(question, POOL);
        if let Some(random) = self.tries.as_mut().filter(|_| question.learning)
            && random.random_bool(EPSILON)
        {
            pool.shuffle(random);
            return Ok(pool.into_iter().take(LIMIT).map(|(memory, _)| memory).collect());
        }
        let utilities: Vec<f32> = pool.iter().map(|(memory, _)| *self.utilities.get(*memory)).collect();
        let scores = pool.iter().zip(scaled(&utilities)).map(|((memory, similarity), utility)| {
            (*memory, 0.5 * (similarity - MEAN) / DEVIATION + 0.5 * utility)
        });
        Ok(highest(scores, LIMIT).into_iter().map(|(memory, _)| memory).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        for memory in review.shown {
            let utility = self.utilities.get_mut(*memory);
            *utility += ALPHA * (review.reward() - *utility);
        }
        Ok(())
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
