//! The product: its own pool, its own order, its own credit and its own expectation. What is here only hands
//! over what a database would. Leaving parts out shows what each is worth.

use rand::RngExt;
use rand::rngs::SmallRng;
use reflect_engine::credit::{
    NEIGHBOURS, Neighbour, Precedent, RECENT_REVIEWS, Tally, contextual_utility, expected_success,
};
use reflect_engine::rank::{Considered, Ranking, pool, rank};
use reflect_types::{Credit, MemoryId};
use uuid::Uuid;

use super::{Arm, LIMIT, PerMemory, Question, Review, WEIGHT, highest, nearest};

/// Below every similarity.
const NO_THRESHOLD: f32 = -1.0;
/// Where nothing is expected in particular.
const EVEN: f32 = 0.5;

/// What is known of which memories a run used.
#[derive(Debug)]
pub(super) enum Attribution {
    /// Nothing: all that were shown count.
    None,
    /// Everything: those that were followed count.
    Exact,
    /// What somebody says who is not always right.
    Unsure {
        /// How often.
        right: f64,
        /// When.
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

/// The parts that can be left out or put in.
#[derive(Debug)]
pub(super) struct Parts {
    /// Which memories get credit.
    pub(super) attribution: Attribution,
    /// Whether outcomes are held against what was to be expected.
    pub(super) baseline: bool,
    /// The step, where it does not shrink.
    pub(super) alpha: Option<f32>,
    /// Whether what is not known yet is tried.
    pub(super) optimism: bool,
    /// Whether a memory's own past counts most where it was about similar tasks.
    pub(super) contextual: bool,
}

impl Default for Parts {
    /// As the product does it.
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

    /// A utility that the product does not take from the credit by itself.
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

/// What was to be expected of a run, from the reviews before it.
fn expected(review: &Review<'_>) -> f32 {
    let recent = &review.reviews[review.reviews.len().saturating_sub(RECENT_REVIEWS)..];
    let count = |passes: usize| u32::try_from(passes).unwrap_or(u32::MAX);
    let tally = Tally {
        reviews: count(recent.len()),
        passes: count(recent.iter().filter(|passed| **passed).count()),
    };
    let nearest = highest(review.earlier.iter().copied().enumerate(), NEIGHBOURS);
    let neighbours =
        nearest.into_iter().map(|(task, similarity)| Neighbour { similarity, passed: review.reviews[task] });
    expected_success(tally, &neighbours.collect::<Vec<_>>())
}

/// An id for a memory. Of two memories the earlier one has the smaller id, as in the product.
pub(super) fn memory_id(number: usize) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(number as u128))
}

/// The memory of an id.
pub(super) fn number(id: MemoryId) -> usize {
    id.as_uuid().as_u128() as usize
}
