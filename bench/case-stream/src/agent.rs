//! The agent. It does not learn and does not see utilities: it adds up the advice of the memories it is shown.

use crate::vectors::{Halves, inner_product};

/// The weight of a memory's advice against the agent's own guess.
const TRUST: f32 = 0.3;

/// What the agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The tool that it called.
    pub action: usize,
    /// The tool that it would have called without memories.
    pub runner_up: usize,
}

/// The agent's own guess: the similarity of each tool's name to the task.
pub fn guess(task: &[f32], tools: &Halves) -> Vec<f32> {
    (0..tools.rows()).map(|tool| inner_product(task, tools.row(tool))).collect()
}

/// What the agent does, given its own guess and the advice of memories with their similarities.
///
/// ```
/// use reflect_case_stream::agent::{Decision, act};
/// let guess = [0.5, 0.4, 0.1];
/// assert_eq!(act(&guess, []).action, 0);
/// assert_eq!(act(&guess, [(0.9, 1)]), Decision { action: 1, runner_up: 0 });
/// ```
pub fn act(guess: &[f32], advised: impl IntoIterator<Item = (f32, usize)>) -> Decision {
    let mut scores = guess.to_vec();
    for (similarity, tool) in advised {
        scores[tool] += TRUST * similarity;
    }
    let action = highest(&scores);
    scores[action] = f32::NEG_INFINITY;
    Decision { action, runner_up: highest(&scores) }
}

/// The first of the highest values.
fn highest(scores: &[f32]) -> usize {
    let mut best = 0;
    for (at, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = at;
        }
    }
    best
}
