//! The daily token budget of a project.

use std::time::Duration;

use reflect_model::Usage;
use reflect_store::{ModelCost, ProjectCtx, StoreError};
use reflect_types::ProjectId;

use crate::project_cache::{self, ProjectCache};

/// Why a model may not be called.
#[derive(Debug)]
pub(crate) enum BudgetError {
    /// The tokens of today are used up.
    Exhausted {
        /// The budget.
        tokens: u64,
        /// The time until the next day (UTC).
        rest: Duration,
    },
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for BudgetError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Says why the budget stops a model call, and when calls continue.
pub(crate) fn exhausted(tokens: u64) -> String {
    format!("the project's budget of {tokens} tokens for today is used up; learning continues at 00:00 UTC")
}

/// Checks the daily token budget of projects.
#[derive(Debug, Clone)]
pub(crate) struct TokenBudget {
    projects: ProjectCache,
    /// For projects that set no budget; `None` for no limit.
    daily_tokens: Option<u64>,
}

impl TokenBudget {
    pub(crate) const fn new(projects: ProjectCache, daily_tokens: Option<u64>) -> Self {
        Self { projects, daily_tokens }
    }

    /// Succeeds if the project may still spend tokens today.
    pub(crate) async fn check(&self, project: &ProjectCtx, id: ProjectId) -> Result<(), BudgetError> {
        let facts = self.projects.facts(id).await?;
        let own = project_cache::settings(&facts.settings).daily_tokens;
        let Some(tokens) = own.or(self.daily_tokens) else { return Ok(()) };
        let (spent, rest) = project.learning().spent_today().await?;
        if u64::try_from(spent).unwrap_or(0) < tokens {
            Ok(())
        } else {
            Err(BudgetError::Exhausted { tokens, rest })
        }
    }
}

/// The cost of model calls, as the store keeps it.
pub(crate) fn cost(usage: Usage, calls: u32) -> ModelCost {
    let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    ModelCost {
        calls: i32::try_from(calls).unwrap_or(i32::MAX),
        input_tokens: tokens(usage.input_tokens),
        output_tokens: tokens(usage.output_tokens),
    }
}
