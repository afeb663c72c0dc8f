//! The utility of a memory for one task: earlier runs with similar tasks count most.

/// How fast the weight of an earlier use falls as tasks become less similar.
const WIDTH: f64 = 0.1;
/// The weight of the memory's general utility, in uses on the same task.
const PRIOR: f64 = 1.0 / 0.3 - 1.0;

/// A run that used a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precedent {
    /// The similarity of its task to the current task.
    pub similarity: f32,
    /// The outcome, from 0 to 1.
    pub reward: f32,
    /// The expected success of the run.
    pub expected: f32,
}

/// The utility of a memory for one task, from its general utility and the outcomes of runs that used it.
///
/// ```
/// use reflect_engine::credit::{Precedent, contextual_utility};
///
/// assert_eq!(contextual_utility(0.6, &[]), 0.6);
/// let failed = Precedent { similarity: 0.95, reward: 0.0, expected: 0.8 };
/// assert!(contextual_utility(0.6, &[failed]) < 0.6);
/// ```
pub fn contextual_utility(utility: f32, precedents: &[Precedent]) -> f32 {
    let (mut weight, mut sum) = (PRIOR, PRIOR * f64::from(utility));
    for precedent in precedents {
        let counts = ((f64::from(precedent.similarity) - 1.0) / WIDTH).exp();
        weight += counts;
        sum += counts * (0.5 + (f64::from(precedent.reward) - f64::from(precedent.expected)) / 2.0);
    }
    (sum / weight) as f32
}
