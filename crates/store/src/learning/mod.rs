//! From a review to a memory: the input of learning, its progress, and the new memory.

mod input;
mod progress;

use crate::db::ProjectDb;
pub use input::{LearnInput, ShownMemory};
pub use progress::ModelCost;

/// The progress of learning from reviews.
#[derive(Debug, Clone, Copy)]
pub struct LearningStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
