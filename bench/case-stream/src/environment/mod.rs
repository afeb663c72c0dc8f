//! The environment of an agent: the tasks, the initial memories, the right tools, and the reviews. It depends only on a
//! seed and is the same for every arm.

mod ground;
mod regime;
mod siblings;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::SmallRng;

pub use ground::{Ground, Sizes};
pub use regime::{REGIMES, Regime, SIGNALLED, WRONG_SIGNALS};
pub use siblings::siblings;

use crate::data::Dataset;
use crate::vectors::{Halves, SetVectors, inner_product};

/// The share of failed runs whose review names the right tool.
const FEEDBACK: f64 = 0.3;

/// The purpose of a random stream. Each purpose has its own stream, so none depends on how many numbers another used.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Order,
    HeldOut,
    Advice,
    Reviews,
    Feedback,
    Drift,
    Arm,
    Repeats,
    Structure,
    Judgements,
}

/// Random numbers for one purpose and seed.
pub(crate) fn random(seed: u64, purpose: Purpose) -> SmallRng {
    SmallRng::seed_from_u64(seed * 16 + purpose as u64)
}

/// A dataset with its vectors, and the tools that are easily confused.
#[derive(Debug)]
pub struct World {
    /// The queries.
    pub set: Dataset,
    /// Their vectors, in half precision.
    pub queries: Halves,
    /// The vectors of the tools' names, in half precision.
    pub tools: Halves,
    /// The three most similar tools of each tool.
    pub siblings: Vec<[usize; 3]>,
    /// How similar the report of calling a tool is to the advice to call a tool: one row per called tool.
    pub uses: Vec<Vec<f32>>,
}

impl World {
    /// Combines a dataset with its vectors.
    pub fn new(set: Dataset, vectors: &SetVectors) -> Self {
        let (queries, tools) = (Halves::round(&vectors.queries), Halves::round(&vectors.tools));
        let siblings = siblings(&queries, &set.labels[..set.train], set.tools.len());
        let (reports, advice) = (Halves::round(&vectors.reports), Halves::round(&vectors.advice));
        let uses = (0..reports.rows()).map(|called| similarities(reports.row(called), &advice)).collect();
        Self { set, queries, tools, siblings, uses }
    }
}

/// One seed of one regime.
#[derive(Debug)]
pub struct Environment<'a> {
    /// What all regimes of a seed share.
    pub ground: &'a Ground,
    /// Whether every run creates a memory.
    pub grows: bool,
    /// The tool that each imported memory advises.
    pub advice: Vec<usize>,
    /// The right tool of each task.
    pub truth: Vec<usize>,
    /// The right tool of each held-out task.
    pub held_out_truth: Vec<usize>,
    /// Whether the review of a task has the wrong result.
    pub wrong_review: Vec<bool>,
    /// Whether the review of a failed run names the right tool.
    pub feedback: Vec<bool>,
}

impl<'a> Environment<'a> {
    /// The environment of a regime.
    pub fn new(world: &World, ground: &'a Ground, regime: &Regime) -> Self {
        let tasks = ground.tasks();
        let mut advice = random(ground.seed, Purpose::Advice);
        let advice = ground.imported.iter().map(|query| {
            let right = world.set.labels[*query];
            let (misleading, sibling) = (advice.random_bool(regime.misleading), advice.random_range(0..3));
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
            wrong_review: bools(ground.seed, Purpose::Reviews, regime.wrong_reviews, tasks),
            feedback: bools(ground.seed, Purpose::Feedback, FEEDBACK, tasks),
        }
    }
}

/// The similarity of a vector to each row.
fn similarities(vector: &[f32], rows: &Halves) -> Vec<f32> {
    (0..rows.rows()).map(|row| inner_product(vector, rows.row(row))).collect()
}

fn bools(seed: u64, purpose: Purpose, share: f64, count: usize) -> Vec<bool> {
    let mut random = random(seed, purpose);
    (0..count).map(|_| random.random_bool(share)).collect()
}
