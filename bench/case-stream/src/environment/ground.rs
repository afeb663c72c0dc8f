//! What the regimes of a seed share: which queries are imported, which are tasks, which are held out, and how
//! similar they all are. Computing that is most of the work, so it is done once.

use rand::seq::SliceRandom;

use super::{Purpose, World, random};
use crate::agent;
use crate::vectors::inner_product;

/// How many tasks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tasks that are reviewed and learned from.
    pub tasks: usize,
    /// Tasks after that, from the official test, from which nothing is learned.
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
    /// Queries that are memories from the start, by tool.
    pub imported: Vec<usize>,
    /// Queries that are tasks, in order.
    pub stream: Vec<usize>,
    /// Queries of the official test.
    pub held_out: Vec<usize>,
    /// The right tool of the query of each memory, before anything moves: imported ones, then one a task.
    pub labels: Vec<usize>,
    /// What the agent thinks of each task by itself.
    pub guesses: Vec<Vec<f32>>,
    /// The same for held-out tasks.
    pub held_out_guesses: Vec<Vec<f32>>,
    /// For each task, its similarity to every imported query, then to every earlier task.
    similarities: Vec<Vec<f32>>,
    /// For each held-out task, its similarity to every imported query, then to every task.
    held_out_similarities: Vec<Vec<f32>>,
}

impl Ground {
    /// Draws the queries of a seed and computes their similarities.
    pub fn new(world: &World, seed: u64, imported_per_tool: usize, sizes: Sizes) -> Self {
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

    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.stream.len()
    }

    /// How similar a task is to each imported query, and to each earlier task.
    pub fn similarities(&self, task: usize) -> (&[f32], &[f32]) {
        self.similarities[task].split_at(self.imported.len())
    }

    /// How similar a task is to each memory there may be, in the order in which they came.
    pub fn row(&self, task: usize) -> &[f32] {
        &self.similarities[task]
    }

    /// The same for a held-out task.
    pub fn held_out_row(&self, task: usize) -> &[f32] {
        &self.held_out_similarities[task]
    }
}
