//! The limits of a run, and its cost.

use std::time::Duration;

use reflect_model::Usage;
use serde::{Deserialize, Serialize};

/// The limits of a run. `None` means no limit.
///
/// When a limit is reached, no step that costs money starts. Only the time limit interrupts a running step. Tokens, cost
/// and calls are known after the step, so a run can exceed these limits slightly.
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
    /// Input and output tokens of all components.
    pub tokens: Option<u64>,
    /// Money, in the unit in which costs are reported.
    pub cost: Option<f64>,
    /// Time, over all resumes.
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

/// The cost of a run so far.
///
/// See [`Spent::reached`] for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money, as far as it was reported or can be computed.
    pub cost: f64,
    /// Calls of models.
    pub calls: u32,
    /// Time, in milliseconds.
    pub elapsed_ms: u64,
}

/// The cost of one step.
///
/// Part of [`Transition::Paid`](crate::Transition::Paid); see [`RunState`](crate::RunState) for an example.
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

    /// The first limit that is reached, if any.
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
