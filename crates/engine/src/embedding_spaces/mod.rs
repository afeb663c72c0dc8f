//! Embedding migrations: a project changes its embedding model. A second space is filled while the project stays in
//! use. Then both spaces are compared, and queries switch to the new space, or back.

mod compare;
mod comparison;
mod reembed;
mod service;

pub use compare::ComparisonRequest;
pub use comparison::{QuestionChange, SpaceComparison, SpaceCoverage};
pub(crate) use reembed::Reembedder;
pub use service::{EmbeddingSpaces, EmbeddingStatus, KnownSpace};
