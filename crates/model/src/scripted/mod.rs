//! Scripted test doubles of the two ports.
//!
//! Both are cheap to clone. Clones share one script and one record, so a test can keep a handle. They do not imitate
//! the behaviour of a real model.

mod embedder;
mod model;

pub use embedder::{Fault, ScriptedEmbedder};
pub use model::ScriptedModel;

#[cfg(test)]
mod tests;
