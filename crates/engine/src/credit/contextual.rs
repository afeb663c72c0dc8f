//! What a memory is worth for this task in particular: its own past, where runs of similar tasks count most.

/// How fast a use says less about another one as their tasks are less alike.
const WIDTH: f64 = 0.1;
/// As how many uses on the very same task the memory's utility in general counts.
const PRIOR: f64 = 1.0 / 0.3 - 1.0;

/// A run that used a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precedent {
    /// How similar its task is to the one at hand.
    pub similarity: f32,
    /// Its outcome, 0 to 1.
    pub reward: f32,
    /// What was expected of it.
    pub expected: f32,
}

/// A memory's utility for one task, out of its utility in general and what became of runs that used it.
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
