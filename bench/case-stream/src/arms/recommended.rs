//! The product: its own candidates, ranking, credit and expectation. This module only provides the data that a database
//! would. Disabling parts shows the effect of each.

use rand::RngExt;
use rand::rngs::SmallRng;
use reflect_engine::credit::{
    NEIGHBOURS, Neighbour, Precedent, RECENT_REVIEWS, ReviewTally, contextual_utility, expected_success,
};
use reflect_engine::rank::{Considered, Ranking, pool, rank};
use reflect_types::{Credit, MemoryId};
use uuid::Uuid;

use super::{Arm, LIMIT, PerMemory, Question, Review, WEIGHT, highest, nearest};

/// Lower than every similarity.
pub(super) const NO_THRESHOLD: f32 = -1.0;
/// The expectation without evidence.
pub(super) const EVEN: f32 = 0.5;

/// What is known about which memories a run used.
#[derive(Debug)]
pub(super) enum Attribution {
    /// Nothing: all memories that were shown count.
    None,
    /// Everything: the memories whose advice was followed count.
    Exact,
    /// The statement of a reviewer who is sometimes wrong.
    Unsure {
        /// The probability that the statement is right.
        right: f64,
        /// The random numbers.
        random: SmallRng,
    },
}

/// A run that used a memory.
#[derive(Debug, Clone, Copy)]
struct Use {
    task: usize,
    reward: f32,
    expected: f32,
}

/// The parts that can be disabled or enabled.
#[derive(Debug)]
pub(super) struct Parts {
    /// Which memories get credit.
    pub(super) attribution: Attribution,
    /// Whether outcomes are compared with the expected outcome.
    pub(super) baseline: bool,
    /// The learning rate, if it is constant.
    pub(super) alpha: Option<f32>,
    /// Whether uncertain memories are explored.
    pub(super) optimism: bool,
    /// Whether the history of a memory counts more for similar tasks.
    pub(super) contextual: bool,
}

impl Default for Parts {
    /// The configuration of the product.
    fn default() -> Self {
        Self {
            attribution: Attribution::Exact,
            baseline: true,
            alpha: None,
            optimism: true,
            contextual: false,
        }
    }
}

/// Ranks by credit.
#[derive(Debug)]
pub(super) struct Recommended {
    credits: PerMemory<Credit>,
    uses: PerMemory<Vec<Use>>,
    parts: Parts,
}

impl Recommended {
    pub(super) const fn new(parts: Parts) -> Self {
        Self { credits: PerMemory::new(Credit::START), uses: PerMemory::new(Vec::new()), parts }
    }

    /// A utility that the product does not derive from the credit alone.
    fn other_utility(&self, memory: usize, question: &Question<'_>) -> Option<f32> {
        let credit = self.credits.get(memory);
        let general = if self.parts.optimism { credit.utility() } else { credit.value() };
        if self.parts.contextual {
            let precedents = self.uses.get(memory).iter().map(|used| Precedent {
                similarity: question.earlier[used.task],
                reward: used.reward,
                expected: used.expected,
            });
            Some(contextual_utility(general, &precedents.collect::<Vec<_>>()))
        } else {
            (!self.parts.optimism).then_some(general)
        }
    }

    fn counts(&mut self, review: &Review<'_>, memory: usize) -> bool {
        match &mut self.parts.attribution {
            Attribution::None => true,
            Attribution::Exact => review.followed(memory),
            Attribution::Unsure { right, random } => review.followed(memory) == random.random_bool(*right),
        }
    }
}

impl Arm for Recommended {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let mut ranking = Ranking::Learned;
        let considered = nearest(question, pool(LIMIT)).into_iter().map(|(memory, similarity)| {
            let credit = *self.credits.get(memory);
            let other = self.other_utility(memory, question);
            if other.is_some() {
                ranking = Ranking::Classic;
            }
            Considered {
                memory_id: memory_id(memory),
                similarity,
                q: other.unwrap_or(EVEN),
                credit,
                untrusted: None,
                lesson: None,
                text: None,
                absorbed: 0,
            }
        });
        let considered: Vec<Considered> = considered.collect();
        let ranked = rank(&considered, ranking, WEIGHT, NO_THRESHOLD);
        Ok(ranked.iter().take(LIMIT).map(|ranked| number(ranked.memory_id)).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let expected = if self.parts.baseline { expected(review) } else { EVEN };
        let reward = review.reward();
        for memory in review.shown {
            if self.counts(review, *memory) {
                let credit = self.credits.get_mut(*memory);
                *credit = credit.after(reward, expected, self.parts.alpha);
                if self.parts.contextual {
                    self.uses.get_mut(*memory).push(Use { task: review.task, reward, expected });
                }
            }
        }
        Ok(())
    }
}

/// The expected outcome of a run, from the reviews before it.
pub(super) fn expected(review: &Review<'_>) -> f32 {
    let recent = &review.reviews[review.reviews.len().saturating_sub(RECENT_REVIEWS)..];
    let count = |passes: usize| u32::try_from(passes).unwrap_or(u32::MAX);
    let tally = ReviewTally {
        reviews: count(recent.len()),
        passes: count(recent.iter().filter(|passed| **passed).count()),
    };
    let nearest = highest(review.earlier.iter().copied().enumerate(), NEIGHBOURS);
    let neighbours =
        nearest.into_iter().map(|(task, similarity)| Neighbour { similarity, passed: review.reviews[task] });
    expected_success(tally, &neighbours.collect::<Vec<_>>())
}

/// An id for a memory. As in the product, earlier memories have smaller ids.
pub(super) fn memory_id(number: usize) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(number as u128))
}

/// The memory with this id.
pub(super) fn number(id: MemoryId) -> usize {
    id.as_uuid().as_u128() as usize
}
