//! Measures every arm with every seed, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use reflect_case_stream::statistics::{Interval, mean, paired};
use serde::Serialize;

use crate::arms::Entry;
use crate::environment::{Draw, Sizes, World};
use crate::stream::{self, Outcome, Solution};

/// What is measured.
#[derive(Clone)]
pub struct Plan {
    /// The arms.
    pub arms: Vec<Entry>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The numbers of tickets.
    pub sizes: Sizes,
}

/// The results of an arm with one seed. Success is in percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The seed.
    pub seed: u64,
    /// In the whole stream.
    pub stream: f64,
    /// In its last quarter.
    pub last_quarter: f64,
    /// On held-out tickets.
    pub held_out: f64,
    /// On the official base split.
    pub base: f64,
    /// The mean number of actions on held-out tickets.
    pub actions: f64,
    /// The number of searched memories at the end.
    pub memories: f64,
    /// The number of their lessons.
    pub lessons: f64,
}

/// One of the figures.
pub type Figure = fn(&Figures) -> f64;

/// The figures that tables show.
pub const FIGURES: [(&str, Figure); 7] = [
    ("stream", |figures| figures.stream),
    ("last quarter", |figures| figures.last_quarter),
    ("held out", |figures| figures.held_out),
    ("base split", |figures| figures.base),
    ("actions", |figures| figures.actions),
    ("memories", |figures| figures.memories),
    ("lessons", |figures| figures.lessons),
];

impl Figures {
    fn new(seed: u64, outcome: &Outcome) -> Self {
        let Outcome { stream, held_out, base, memories, lessons } = outcome;
        let actions: Vec<f64> = held_out.iter().map(|solution| solution.actions.len() as f64).collect();
        Self {
            seed,
            stream: success(stream),
            last_quarter: success(&stream[stream.len() - stream.len() / 4..]),
            held_out: success(held_out),
            base: success(base),
            actions: mean(&actions),
            memories: *memories as f64,
            lessons: *lessons as f64,
        }
    }
}

fn success(solutions: &[Solution]) -> f64 {
    let right = solutions.iter().filter(|solution| solution.right).count();
    100.0 * right as f64 / solutions.len().max(1) as f64
}

/// The results of an arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmResults {
    /// The name of the arm.
    pub arm: &'static str,
    /// One result per seed.
    pub seeds: Vec<Figures>,
}

impl ArmResults {
    /// One figure for every seed.
    pub fn each(&self, figure: Figure) -> Vec<f64> {
        self.seeds.iter().map(figure).collect()
    }

    /// The mean of a figure.
    pub fn mean(&self, figure: Figure) -> f64 {
        mean(&self.each(figure))
    }
}

/// All results.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Results {
    /// By arm, in the order of the table.
    pub arms: Vec<ArmResults>,
}

impl Results {
    /// The results of an arm.
    pub fn arm(&self, name: &str) -> Option<&ArmResults> {
        self.arms.iter().find(|results| results.arm == name)
    }

    /// The difference between two arms on held-out tickets.
    pub fn difference(&self, one: &str, other: &str) -> Option<Interval> {
        let held_out: Figure = |figures| figures.held_out;
        Some(paired(&self.arm(one)?.each(held_out), &self.arm(other)?.each(held_out)))
    }
}

/// Runs a plan.
pub fn measure(world: &World, plan: &Plan) -> anyhow::Result<Results> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> anyhow::Result<()> {
        while let Some(seed) = plan.seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let draw = Draw::new(world, *seed, plan.sizes)?;
            for arm in &plan.arms {
                let outcome = stream::run(world, &draw, arm.make(world, &draw).as_mut())?;
                let figures = Figures::new(*seed, &outcome);
                eprintln!("seed {seed}, {}: {:.1} held out", arm.name, figures.held_out);
                found.lock().unwrap_or_else(PoisonError::into_inner).push((arm.name, figures));
            }
        }
        Ok(())
    };
    let cores = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("an arm panicked"))))
    })?;
    Ok(in_order(plan, &found.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Sorts the results, because threads end in any order.
fn in_order(plan: &Plan, found: &[(&'static str, Figures)]) -> Results {
    let arms = plan.arms.iter().map(|arm| {
        let of_arm = found.iter().filter(|(name, _)| *name == arm.name);
        let mut seeds: Vec<Figures> = of_arm.map(|(_, figures)| figures.clone()).collect();
        seeds.sort_by_key(|figures| figures.seed);
        ArmResults { arm: arm.name, seeds }
    });
    Results { arms: arms.collect() }
}
