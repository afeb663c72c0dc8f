//! The arms by name, in the order of the table.

use super::memrl::MemRl;
use super::none::Nothing;
use super::similarity::Similarity;
use super::{Arm, Parts, Product};
use crate::environment::{Draw, World};

/// The name of the arm without memories.
pub const NONE: &str = "none";
/// The name of the arm that ranks by similarity alone.
pub const SIMILARITY: &str = "similarity";
/// The name of the arm that ranks like MemRL.
pub const MEMRL: &str = "MemRL";
/// The name of the arm that is the product.
pub const PRODUCT: &str = "product";
/// The product without grouping, absorption and supersession: every memory is a lesson of its own.
pub const UNGROUPED: &str = "product, one lesson per memory";
/// The same with one memory per run.
pub const PER_RUN: &str = "product, one lesson per run";
/// The product with states that are absorbed and contradict each other like tasks.
pub const LIKE_TASKS: &str = "product, states compared like tasks";
/// The product with a bonus that decreases whenever a memory is shown.
pub const ENDS_WHEN_SHOWN: &str = "product, optimism ends when shown";

/// An arm by name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in tables.
    pub name: &'static str,
    make: fn(&World, &Draw) -> Box<dyn Arm>,
}

impl Entry {
    /// Creates the arm for one seed.
    pub fn make(&self, world: &World, draw: &Draw) -> Box<dyn Arm> {
        (self.make)(world, draw)
    }
}

/// The arms that are compared.
pub fn compared() -> Vec<Entry> {
    vec![
        Entry { name: NONE, make: |_, _| Box::new(Nothing) },
        Entry { name: SIMILARITY, make: |_, _| Box::new(Similarity::default()) },
        Entry { name: MEMRL, make: |_, draw| Box::new(MemRl::new(draw.similarity)) },
        Entry { name: PRODUCT, make: |world, _| Box::new(Product::new(&world.actions, Parts::default())) },
    ]
}

/// All arms: also the variants of the product, which answer questions about it.
pub fn all() -> Vec<Entry> {
    let variants = [
        Entry {
            name: UNGROUPED,
            make: |world, _| Box::new(Product::new(&world.actions, Parts::ungrouped())),
        },
        Entry {
            name: PER_RUN,
            make: |world, _| {
                Box::new(Product::new(&world.actions, Parts { per_run: true, ..Parts::ungrouped() }))
            },
        },
        Entry {
            name: LIKE_TASKS,
            make: |world, _| {
                Box::new(Product::new(&world.actions, Parts { like_tasks: true, ..Parts::default() }))
            },
        },
        Entry {
            name: ENDS_WHEN_SHOWN,
            make: |world, _| {
                Box::new(Product::new(&world.actions, Parts { ends_when_shown: true, ..Parts::default() }))
            },
        },
    ];
    compared().into_iter().chain(variants).collect()
}
