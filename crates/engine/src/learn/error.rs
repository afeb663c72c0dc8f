//! Why a review did not become a memory.

use std::time::Duration;

use reflect_model::ModelError;
use reflect_store::StoreError;

use crate::budget::{self, BudgetError};
use crate::error::chain;
use crate::models::EmbedFailure;

/// Why a review did not become a memory.
#[derive(Debug)]
pub(super) enum LearnError {
    /// The model wrote no lesson.
    Reflection(ModelError),
    /// The lesson could not be embedded.
    Vector(ModelError),
    /// The token budget of the project is used up for today.
    Budget { tokens: u64, rest: Duration },
    /// The store failed.
    Store(StoreError),
}

impl LearnError {
    /// The error as a sentence for the operator.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Reflection(error) => format!("no reflection could be written: {error}"),
            Self::Vector(error) => format!("the memory could not be embedded: {error}"),
            Self::Budget { tokens, .. } => budget::exhausted(*tokens),
            Self::Store(error) => chain(error),
        }
    }
}

impl From<StoreError> for LearnError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BudgetError> for LearnError {
    fn from(error: BudgetError) -> Self {
        match error {
            BudgetError::Exhausted { tokens, rest } => Self::Budget { tokens, rest },
            BudgetError::Store(error) => Self::Store(error),
        }
    }
}

impl From<EmbedFailure> for LearnError {
    fn from(failure: EmbedFailure) -> Self {
        match failure {
            EmbedFailure::Model(error) => Self::Vector(error),
            EmbedFailure::Store(error) => Self::Store(error),
            EmbedFailure::NoEmbedder | EmbedFailure::OtherModel => {
                Self::Vector(ModelError::do_not_retry(failure.to_string()))
            }
        }
    }
}
