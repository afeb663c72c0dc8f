//! Doubles that follow a script: the ports without a model behind them.
//!
//! They are for tests of whatever uses the ports. Both are cheap to clone, and clones share one script and one
//! record, so that a test keeps a handle on the double it gave away. Neither imitates a model's wits.

mod embedder;
mod model;

pub use embedder::{Fault, ScriptedEmbedder};
pub use model::ScriptedModel;

#[cfg(test)]
mod tests;
