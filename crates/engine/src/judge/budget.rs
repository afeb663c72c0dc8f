//! The token budget of a judge.

use std::time::Duration;

use reflect_store::{ProjectCtx, StoreError};
use reflect_types::{JudgeSettings, ProjectId};

use crate::budget::{BudgetError, TokenBudget};

/// The daily tokens are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpentBudget {
    /// The budget.
    pub(super) tokens: u64,
    /// Whether it is the judge's own budget, not the project's.
    pub(super) own: bool,
    /// The time until the next day (UTC).
    pub(super) rest: Duration,
}

/// Checks the budget of the judge and of its project.
#[derive(Debug, Clone)]
pub(super) struct JudgeBudget {
    budget: TokenBudget,
}

impl JudgeBudget {
    pub(super) const fn new(budget: TokenBudget) -> Self {
        Self { budget }
    }

    /// The exhausted budget of the judge or of its project, if there is one.
    pub(super) async fn spent(
        &self,
        project: &ProjectCtx,
        id: ProjectId,
        settings: &JudgeSettings,
    ) -> Result<Option<SpentBudget>, StoreError> {
        match self.budget.check(project, id).await {
            Ok(()) => {}
            Err(BudgetError::Exhausted { tokens, rest }) => {
                return Ok(Some(SpentBudget { tokens, own: false, rest }));
            }
            Err(BudgetError::Store(error)) => return Err(error),
        }
        let Some(tokens) = settings.daily_tokens else { return Ok(None) };
        let (spent, rest) = project.judgements().spent_today().await?;
        Ok((u64::try_from(spent).unwrap_or(0) >= tokens).then_some(SpentBudget { tokens, own: true, rest }))
    }
}

impl SpentBudget {
    /// The error as a sentence.
    pub(super) fn describe(&self) -> String {
        let whose = if self.own { "The judge's" } else { "The project's" };
        format!("{whose} budget of {} tokens for today is used up; it continues at 00:00 UTC.", self.tokens)
    }
}
