//! Measures every arm in every environment of a plan, on all cores.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::arms::Entry;
use crate::data::SetName;
use crate::environment::{Environment, Ground, Regime, Sizes, World};
use crate::statistics::{Interval, mean, paired};
use crate::stream::{self, Outcome, Run};

/// The number of points of a learning curve.
pub const PARTS: usize = 8;
/// The tasks in which learning has hardly begun.
const FIRST: usize = 500;

/// What is measured.
#[derive(Clone)]
pub struct Plan {
    /// The regimes.
    pub regimes: Vec<Regime>,
    /// The arms.
    pub arms: Vec<Entry>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The numbers of tasks.
    pub sizes: Sizes,
}

/// The results of an arm with one seed. Success is in percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The seed.
    pub seed: u64,
    /// On held-out tasks.
    pub held_out: f64,
    /// In the whole stream.
    pub overall: f64,
    /// In its last quarter.
    pub last_quarter: f64,
    /// In its first 500 tasks.
    pub first_500: f64,
    /// In each eighth of it.
    pub curve: Vec<f64>,
    /// The number of lessons at the end.
    pub lessons: f64,
    /// The number of searched memories at the end.
    pub situations: f64,
    /// The mean number of different lessons in an answer to a held-out task.
    pub lessons_shown: f64,
}

/// One of the figures.
pub type Figure = fn(&Figures) -> f64;

/// The figures that tables show, with their names in files.
pub const FIGURES: [(&str, Figure); 4] = [
    ("held_out", |figures| figures.held_out),
    ("overall", |figures| figures.overall),
    ("last_quarter", |figures| figures.last_quarter),
    ("first_500", |figures| figures.first_500),
];

impl Figures {
    fn new(seed: u64, outcome: &Outcome) -> Self {
        let stream = &outcome.stream;
        Self {
            seed,
            held_out: success(&outcome.held_out),
            overall: success(stream),
            last_quarter: success(&stream[stream.len() - stream.len() / 4..]),
            first_500: success(&stream[..stream.len().min(FIRST)]),
            curve: stream.chunks(stream.len().div_ceil(PARTS).max(1)).map(success).collect(),
            lessons: outcome.lessons as f64,
            situations: outcome.situations as f64,
            lessons_shown: outcome.lessons_shown as f64 / outcome.held_out.len().max(1) as f64,
        }
    }
}

fn success(runs: &[Run]) -> f64 {
    100.0 * runs.iter().filter(|run| run.right).count() as f64 / runs.len().max(1) as f64
}

/// The results of an arm in one regime of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The dataset.
    pub set: SetName,
    /// The regime.
    pub regime: &'static str,
    /// The arm.
    pub arm: &'static str,
    /// One result per seed.
    pub seeds: Vec<Figures>,
}

impl Cell {
    /// One figure for every seed.
    pub fn each(&self, figure: Figure) -> Vec<f64> {
        self.seeds.iter().map(figure).collect()
    }

    /// The mean of a figure.
    pub fn mean(&self, figure: Figure) -> f64 {
        mean(&self.each(figure))
    }

    /// The mean learning curve of all seeds.
    pub fn curve(&self) -> Vec<f64> {
        let parts = self.seeds.first().map_or(0, |figures| figures.curve.len());
        (0..parts)
            .map(|part| mean(&self.seeds.iter().map(|figures| figures.curve[part]).collect::<Vec<_>>()))
            .collect()
    }
}

/// All results.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Results {
    /// By set, regime and arm, in the order of the table.
    pub cells: Vec<Cell>,
}

impl Results {
    /// One cell.
    pub fn cell(&self, set: SetName, regime: &str, arm: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.set == set && cell.regime == regime && cell.arm == arm)
    }

    /// The difference between two arms.
    pub fn difference(
        &self,
        (set, regime): (SetName, &str),
        one: &str,
        other: &str,
        figure: Figure,
    ) -> Option<Interval> {
        let (one, other) = (self.cell(set, regime, one)?, self.cell(set, regime, other)?);
        Some(paired(&one.each(figure), &other.each(figure)))
    }
}

/// Runs a plan in every world.
pub fn measure(worlds: &[World], plan: &Plan) -> anyhow::Result<Results> {
    let mut kinds: Vec<GroundKind> = plan.regimes.iter().map(ground_kind).collect();
    kinds.dedup();
    let mut jobs = Vec::new();
    for world in worlds {
        for seed in &plan.seeds {
            jobs.extend(kinds.iter().map(|kind| (world, *seed, *kind)));
        }
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> anyhow::Result<()> {
        while let Some((world, seed, kind)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let figures = one_ground(world, *seed, *kind, plan)?;
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(figures);
            let (set, (import, repeats)) = (world.set.name.title(), kind);
            eprintln!("{set}, seed {seed}, {import} imported for each tool, {repeats} % repeated: done");
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
    Ok(in_order(worlds, plan, found.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

type Key = (SetName, &'static str, &'static str);
/// The number of imported memories for each tool, and how many of 100 tasks are repeated.
type GroundKind = (usize, u32);

fn ground_kind(regime: &Regime) -> GroundKind {
    (regime.imported_per_tool, regime.repeats)
}

/// Runs every arm in the regimes of one seed.
fn one_ground(
    world: &World,
    seed: u64,
    kind: GroundKind,
    plan: &Plan,
) -> anyhow::Result<Vec<(Key, Figures)>> {
    let ground = Ground::repeating(world, seed, kind.0, kind.1, plan.sizes);
    let mut figures = Vec::new();
    for regime in plan.regimes.iter().filter(|regime| ground_kind(regime) == kind) {
        let environment = Environment::new(world, &ground, regime);
        for arm in plan.arms.iter().filter(|arm| arm.runs_in(regime)) {
            let outcome = stream::run(&environment, arm.make(&ground).as_mut())?;
            figures.push(((world.set.name, regime.name, arm.name), Figures::new(seed, &outcome)));
        }
    }
    Ok(figures)
}

/// Sorts the results, because threads end in any order.
fn in_order(worlds: &[World], plan: &Plan, found: Vec<(Key, Figures)>) -> Results {
    let mut cells = Vec::new();
    for world in worlds {
        for regime in &plan.regimes {
            for arm in plan.arms.iter().filter(|arm| arm.runs_in(regime)) {
                let key: Key = (world.set.name, regime.name, arm.name);
                let mut seeds: Vec<Figures> =
                    found.iter().filter(|(of, _)| *of == key).map(|(_, figures)| figures.clone()).collect();
                seeds.sort_by_key(|figures| figures.seed);
                cells.push(Cell { set: key.0, regime: key.1, arm: key.2, seeds });
            }
        }
    }
    Results { cells }
}
