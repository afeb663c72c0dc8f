//! What a run may cost, and what it has cost.

use std::time::Duration;

use reflect_model::Usage;
use serde::{Deserialize, Serialize};

/// The most that a run may cost. What is not set is not bounded.
///
/// Nothing that is paid for is begun once a limit is reached. What is under way is interrupted by time alone; tokens,
/// money and calls are known only when they have been spent, so a run may end somewhat above them.
///
/// ```
/// use std::time::Duration;
///
/// use reflexion_loop::Budget;
///
/// let budget = Budget { tokens: Some(50_000), time: Some(Duration::from_secs(120)), ..Default::default() };
/// assert_eq!(budget.cost, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Tokens, read and written, of everybody together.
    pub tokens: Option<u64>,
    /// Money, in the unit in which costs are reported.
    pub cost: Option<f64>,
    /// Time, over all resumptions together.
    pub time: Option<Duration>,
    /// Calls of models.
    pub calls: Option<u32>,
}

/// Which limit was reached.
///
/// See [`Spent::reached`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BudgetKind {
    /// Tokens.
    Tokens,
    /// Money.
    Cost,
    /// Time.
    Time,
    /// Calls of models.
    Calls,
}

/// What a run has cost so far.
///
/// See [`Spent::reached`] for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money, as far as it was reported or can be worked out.
    pub cost: f64,
    /// Calls of models.
    pub calls: u32,
    /// Time, in milliseconds.
    pub elapsed_ms: u64,
}

/// What one step cost.
///
/// Part of [`Happened::Paid`](crate::Happened::Paid); see [`RunState`](crate::RunState) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: f64,
    /// Calls of models.
    pub calls: u32,
}

impl Spent {
    pub(crate) fn add(&mut self, price: Price) {
        self.usage += price.usage;
        self.cost += price.cost;
        self.calls = self.calls.saturating_add(price.calls);
    }

    /// The first limit that is reached.
    ///
    /// ```
    /// use reflexion_loop::{Budget, BudgetKind, Spent};
    ///
    /// let spent = Spent { calls: 5, ..Default::default() };
    /// let budget = Budget { calls: Some(5), ..Default::default() };
    /// assert_eq!(spent.reached(&budget), Some(BudgetKind::Calls));
    /// ```
    pub fn reached(&self, budget: &Budget) -> Option<BudgetKind> {
        let tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        let elapsed = Duration::from_millis(self.elapsed_ms);
        let limits = [
            (BudgetKind::Tokens, budget.tokens.is_some_and(|limit| tokens >= limit)),
            (BudgetKind::Cost, budget.cost.is_some_and(|limit| self.cost >= limit)),
            (BudgetKind::Time, budget.time.is_some_and(|limit| elapsed >= limit)),
            (BudgetKind::Calls, budget.calls.is_some_and(|limit| self.calls >= limit)),
        ];
        limits.into_iter().find_map(|(kind, reached)| reached.then_some(kind))
    }
}
