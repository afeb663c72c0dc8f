//! What all regimes of a seed share: the imported queries, the tasks, the held-out tasks, and their similarities.
//! Computing these is most of the work, so it is done once.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Purpose, World, random};
use crate::agent;
use crate::vectors::inner_product;

/// The numbers of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tasks that are reviewed and learned from.
    pub tasks: usize,
    /// Later tasks from the official test set, which are not learned from.
    pub held_out: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { tasks: 4_000, held_out: 3_000 }
    }
}

/// The queries of one seed and their similarities.
#[derive(Debug)]
pub struct Ground {
    /// The seed.
    pub seed: u64,
    /// The imported queries, by tool.
    pub imported: Vec<usize>,
    /// The tasks, in order.
    pub stream: Vec<usize>,
    /// Queries of the official test set.
    pub held_out: Vec<usize>,
    /// The right tool of the query of each memory, before any tool changes: imported memories first, then one per task.
    pub labels: Vec<usize>,
    /// The agent's own guess for each task.
    pub guesses: Vec<Vec<f32>>,
    /// The same for held-out tasks.
    pub held_out_guesses: Vec<Vec<f32>>,
    /// How similar the report of calling a tool is to the advice to call a tool: one row per called tool.
    pub uses: Vec<Vec<f32>>,
    /// For each imported query: its similarity to every imported query before it.
    imported_similarities: Vec<Vec<f32>>,
    /// For each task: its similarity to every imported query, then to every earlier task.
    similarities: Vec<Vec<f32>>,
    /// For each held-out task: its similarity to every imported query, then to every task.
    held_out_similarities: Vec<Vec<f32>>,
}

impl Ground {
    /// Samples the queries of a seed and computes their similarities.
    pub fn new(world: &World, seed: u64, imported_per_tool: usize, sizes: Sizes) -> Self {
        Self::repeating(world, seed, imported_per_tool, 0, sizes)
    }

    /// The same, in which this many of 100 tasks repeat an earlier one.
    pub fn repeating(world: &World, seed: u64, imported_per_tool: usize, repeats: u32, sizes: Sizes) -> Self {
        let (set, tools) = (&world.set, world.set.tools.len());
        let mut order: Vec<usize> = (0..set.train).collect();
        order.shuffle(&mut random(seed, Purpose::Order));
        let mut by_tool = vec![Vec::new(); tools];
        let mut stream = Vec::with_capacity(sizes.tasks);
        for query in order {
            let imported = &mut by_tool[set.labels[query]];
            if imported.len() < imported_per_tool {
                imported.push(query);
            } else if stream.len() < sizes.tasks {
                stream.push(query);
            }
        }
        if repeats > 0 {
            repeat(&mut stream, f64::from(repeats) / 100.0, seed);
        }
        let imported = by_tool.concat();
        let mut held_out: Vec<usize> = (set.train..set.texts.len()).collect();
        held_out.shuffle(&mut random(seed, Purpose::HeldOut));
        held_out.truncate(sizes.held_out);

        let keys: Vec<usize> = imported.iter().chain(&stream).copied().collect();
        let row = |query: usize, keys: &[usize]| -> Vec<f32> {
            let task = world.queries.row(query);
            keys.iter().map(|key| inner_product(task, world.queries.row(*key))).collect()
        };
        let guesses = |queries: &[usize]| {
            queries.iter().map(|query| agent::guess(world.queries.row(*query), &world.tools)).collect()
        };
        Self {
            seed,
            labels: keys.iter().map(|query| set.labels[*query]).collect(),
            guesses: guesses(&stream),
            held_out_guesses: guesses(&held_out),
            uses: world.uses.clone(),
            imported_similarities: imported
                .iter()
                .enumerate()
                .map(|(place, query)| row(*query, &imported[..place]))
                .collect(),
            similarities: stream
                .iter()
                .enumerate()
                .map(|(task, query)| row(*query, &keys[..imported.len() + task]))
                .collect(),
            held_out_similarities: held_out.iter().map(|query| row(*query, &keys)).collect(),
            imported,
            stream,
            held_out,
        }
    }

    /// The number of tasks.
    pub fn tasks(&self) -> usize {
        self.stream.len()
    }

    /// The similarity of a task to each imported query, and to each earlier task.
    pub fn similarities(&self, task: usize) -> (&[f32], &[f32]) {
        self.similarities[task].split_at(self.imported.len())
    }

    /// The similarity of an imported memory to each one before it.
    pub fn imported_row(&self, memory: usize) -> &[f32] {
        &self.imported_similarities[memory]
    }

    /// The similarity of a task to each memory, in order of creation.
    pub fn row(&self, task: usize) -> &[f32] {
        &self.similarities[task]
    }

    /// The same for a held-out task.
    pub fn held_out_row(&self, task: usize) -> &[f32] {
        &self.held_out_similarities[task]
    }
}

/// Replaces some tasks by earlier ones. The other tasks keep their order.
fn repeat(stream: &mut [usize], share: f64, seed: u64) {
    let mut draw = random(seed, Purpose::Repeats);
    let original = stream.to_vec();
    let mut fresh = original.iter().copied();
    for task in 0..stream.len() {
        let is_repeated = task > 0 && draw.random_bool(share);
        let query = if is_repeated { Some(stream[draw.random_range(0..task)]) } else { fresh.next() };
        stream[task] = query.unwrap_or(stream[task]);
    }
}
