//! The world that an agent works in: which tasks come, which memories it starts with, what is right, and how
//! its runs are reviewed. All of it follows from a seed and is the same for every arm.

mod ground;
mod regime;
mod siblings;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::SmallRng;

pub use ground::{Ground, Sizes};
pub use regime::{REGIMES, Regime};
pub use siblings::siblings;

use crate::data::Dataset;
use crate::vectors::{Halves, SetVectors};

/// How much of what is imported advises a wrong tool.
const MISLEADING: f64 = 0.4;
/// How many reviews say the opposite of what is true.
const WRONG_REVIEWS: f64 = 0.1;
/// How many failed runs are told what would have been right.
const FEEDBACK: f64 = 0.3;

/// What a stream of random numbers is for. Each has its own, so that none depends on how many another took.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Order,
    HeldOut,
    Advice,
    Reviews,
    Feedback,
    Drift,
    Arm,
}

/// Random numbers for one purpose of one seed.
pub(crate) fn random(seed: u64, purpose: Purpose) -> SmallRng {
    SmallRng::seed_from_u64(seed * 16 + purpose as u64)
}

/// A set with its vectors, and which tools are easily mistaken for each other.
#[derive(Debug)]
pub struct World {
    /// The queries.
    pub set: Dataset,
    /// Their vectors, rounded.
    pub queries: Halves,
    /// The vectors of the tools' names, rounded.
    pub tools: Halves,
    /// The three tools nearest to each.
    pub siblings: Vec<[usize; 3]>,
}

impl World {
    /// Puts a set and its vectors together.
    pub fn new(set: Dataset, vectors: &SetVectors) -> Self {
        let (queries, tools) = (Halves::round(&vectors.queries), Halves::round(&vectors.tools));
        let siblings = siblings(&queries, &set.labels[..set.train], set.tools.len());
        Self { set, queries, tools, siblings }
    }
}

/// One seed of one regime.
#[derive(Debug)]
pub struct Environment<'a> {
    /// What the regimes of a seed share.
    pub ground: &'a Ground,
    /// Whether every run becomes a memory.
    pub grows: bool,
    /// What each imported memory advises.
    pub advice: Vec<usize>,
    /// The right tool of each task.
    pub truth: Vec<usize>,
    /// The right tool of each held-out task.
    pub held_out_truth: Vec<usize>,
    /// Whether the review of a task's run says the opposite of what is true.
    pub wrong_review: Vec<bool>,
    /// Whether a failed run of a task is told what would have been right.
    pub feedback: Vec<bool>,
}

impl<'a> Environment<'a> {
    /// The environment of a regime on its ground.
    pub fn new(world: &World, ground: &'a Ground, regime: &Regime) -> Self {
        let tasks = ground.tasks();
        let mut advice = random(ground.seed, Purpose::Advice);
        let advice = ground.imported.iter().map(|query| {
            let right = world.set.labels[*query];
            let (misleading, sibling) = (advice.random_bool(MISLEADING), advice.random_range(0..3));
            if misleading { world.siblings[right][sibling] } else { right }
        });
        let mut drift = random(ground.seed, Purpose::Drift);
        let moved: Vec<usize> = (0..world.set.tools.len())
            .map(|tool| if drift.random_bool(regime.drift) { world.siblings[tool][0] } else { tool })
            .collect();
        let label = |query: &usize| world.set.labels[*query];
        let truth = ground.stream.iter().enumerate();
        Self {
            ground,
            grows: regime.grows,
            advice: advice.collect(),
            truth: truth
                .map(|(task, query)| if task < tasks / 2 { label(query) } else { moved[label(query)] })
                .collect(),
            held_out_truth: ground.held_out.iter().map(|query| moved[label(query)]).collect(),
            wrong_review: bools(ground.seed, Purpose::Reviews, WRONG_REVIEWS, tasks),
            feedback: bools(ground.seed, Purpose::Feedback, FEEDBACK, tasks),
        }
    }
}

fn bools(seed: u64, purpose: Purpose, share: f64, count: usize) -> Vec<bool> {
    let mut random = random(seed, purpose);
    (0..count).map(|_| random.random_bool(share)).collect()
}
