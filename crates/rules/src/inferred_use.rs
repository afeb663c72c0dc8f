//! Whether a run used a memory, inferred from the similarity of its actions and the advice. The threshold and its
//! reliability are measured with runs whose client said what it used.

use reflect_types::MemoryId;

/// Intervals of similarity from 0 to 1. A similarity below 0 is in the first one.
pub const BINS: usize = 20;
/// How many used and how many unused memories a measurement needs.
const ENOUGH: u32 = 50;
/// The threshold before that, from texts with known use (Case-Stream).
const USUAL_THRESHOLD: f32 = 0.62;
/// The least sum of both shares. A rule that guesses has 1.
const LEAST_SUM: f32 = 1.3;

/// Similarities of memories whose use is known, counted by interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UseTally {
    /// Memories that were used.
    pub used: [u32; BINS],
    /// Memories that were not used.
    pub unused: [u32; BINS],
}

/// From which similarity on a memory counts as used, and how reliable that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UseRule {
    /// The lowest similarity of a used memory.
    pub threshold: f32,
    /// The share of used memories that it finds. `None` if not measured.
    pub found: Option<f32>,
    /// The share of unused memories that it excludes. `None` if not measured.
    pub excluded: Option<f32>,
}

impl UseTally {
    /// The tally after one memory of a run whose client said what it used.
    #[must_use]
    pub fn after(&self, similarity: f32, used: bool) -> Self {
        let mut tally = *self;
        let bins = if used { &mut tally.used } else { &mut tally.unused };
        let bin = ((similarity * BINS as f32).max(0.0) as usize).min(BINS - 1);
        bins[bin] = bins[bin].saturating_add(1);
        tally
    }

    /// The interval whose lower edge separates best, with both shares. Until enough is measured, a constant threshold
    /// without shares.
    pub fn rule(&self) -> UseRule {
        let total = |bins: &[u32; BINS]| bins.iter().fold(0_u32, |sum, bin| sum.saturating_add(*bin));
        let (used, unused) = (total(&self.used), total(&self.unused));
        if used < ENOUGH || unused < ENOUGH {
            return UseRule { threshold: USUAL_THRESHOLD, found: None, excluded: None };
        }
        let share = |bins: &[u32], all: u32| bins.iter().sum::<u32>() as f32 / all as f32;
        let at = |edge: usize| (share(&self.used[edge..], used), share(&self.unused[..edge], unused));
        let sum = |edge: usize| at(edge).0 + at(edge).1;
        let edge = (0..BINS).rev().max_by(|one, other| sum(*one).total_cmp(&sum(*other))).unwrap_or(0);
        let (found, excluded) = at(edge);
        UseRule { threshold: edge as f32 / BINS as f32, found: Some(found), excluded: Some(excluded) }
    }
}

impl UseRule {
    /// Whether it may be applied: it is measured, and clearly better than a guess.
    pub fn is_reliable(&self) -> bool {
        self.found.zip(self.excluded).is_some_and(|(found, excluded)| found + excluded >= LEAST_SUM)
    }
}

/// The memories whose advice the run's actions resemble. `None` if the rule is not reliable or there is nothing to compare.
///
/// ```
/// use reflect_rules::inferred_use::{UseTally, inferred_use};
/// use reflect_types::MemoryId;
///
/// let (near, far) = (MemoryId::generate(), MemoryId::generate());
/// let measured = (0..50).fold(UseTally::default(), |tally, _| tally.after(0.7, true).after(0.4, false));
/// assert_eq!(inferred_use(&measured.rule(), &[(near, 0.8), (far, 0.3)]), Some(vec![near]));
/// assert_eq!(inferred_use(&UseTally::default().rule(), &[(near, 0.8)]), None);
/// ```
pub fn inferred_use(rule: &UseRule, similarities: &[(MemoryId, f32)]) -> Option<Vec<MemoryId>> {
    if similarities.is_empty() || !rule.is_reliable() {
        return None;
    }
    let used = similarities.iter().filter(|(_, similarity)| *similarity >= rule.threshold);
    Some(used.map(|(memory, _)| *memory).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tally(used: &[(f32, usize)], unused: &[(f32, usize)]) -> UseTally {
        let add = |tally: UseTally, (similarity, times): &(f32, usize), is_used: bool| {
            (0..*times).fold(tally, |tally, _| tally.after(*similarity, is_used))
        };
        let tally = used.iter().fold(UseTally::default(), |tally, one| add(tally, one, true));
        unused.iter().fold(tally, |tally, one| add(tally, one, false))
    }

    #[test]
    fn a_rule_is_not_applied_until_enough_is_measured() {
        let rule = tally(&[(0.9, 50)], &[(0.1, 49)]).rule();
        assert_eq!(rule, UseRule { threshold: 0.62, found: None, excluded: None });
        assert!(!rule.is_reliable());
        assert_eq!(inferred_use(&rule, &[(MemoryId::generate(), 0.9)]), None);
        assert!(tally(&[(0.9, 50)], &[(0.1, 50)]).rule().is_reliable());
    }

    #[test]
    fn the_edge_that_separates_best_is_the_threshold() {
        let rule = tally(&[(0.72, 90), (0.3, 10)], &[(0.4, 40), (0.9, 10)]).rule();
        assert_eq!(rule, UseRule { threshold: 0.45, found: Some(0.9), excluded: Some(0.8) });
        assert!(rule.is_reliable());
    }

    #[test]
    fn a_rule_that_guesses_is_not_applied() {
        let rule = tally(&[(0.7, 50), (0.3, 50)], &[(0.7, 50), (0.3, 50)]).rule();
        assert!(!rule.is_reliable(), "{rule:?}");
        assert_eq!(inferred_use(&rule, &[(MemoryId::generate(), 0.9)]), None);
        let measured = tally(&[(0.9, 50)], &[(0.1, 50)]).rule();
        assert_eq!(inferred_use(&measured, &[]), None, "nothing to compare");
    }

    proptest! {
        #[test]
        fn any_similarity_is_counted_once(similarity in any::<f32>(), used in any::<bool>()) {
            let tally = UseTally::default().after(similarity, used);
            prop_assert_eq!(tally.used.iter().sum::<u32>(), u32::from(used));
            prop_assert_eq!(tally.unused.iter().sum::<u32>(), u32::from(!used));
        }

        #[test]
        fn a_measured_rule_is_never_worse_than_a_guess(
            given in prop::collection::vec((0.0_f32..1.0, any::<bool>()), 200..300),
        ) {
            let tally = given.iter().fold(UseTally::default(), |tally, (one, used)| tally.after(*one, *used));
            let rule = tally.rule();
            let sum = rule.found.zip(rule.excluded).map(|(found, excluded)| found + excluded);
            prop_assert!(sum.is_none_or(|sum| sum >= 0.999), "{rule:?}");
        }
    }
}
