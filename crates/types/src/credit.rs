//! The credit of a memory: how much better runs went that used it than expected.

/// How far the first review moves a credit. Later ones move it less, down to [`SMALLEST_STEP`].
const FIRST_STEP: f32 = 0.3;
/// The minimum learning rate, however many reviews came before. The value of a memory can change over time.
const SMALLEST_STEP: f32 = 0.1;
/// The maximum standard deviation of half the difference between an outcome and its expectation.
const DEVIATION: f32 = 0.25;
/// The 95 % quantile of the normal distribution, in standard deviations.
const NORMAL_95: f32 = 1.96;

/// The credit of a memory and the number of reviews it is based on. 0.5 means that runs with the memory went as well as
/// runs of similar tasks without it.
///
/// ```
/// use reflect_types::Credit;
///
/// // A pass where one run in two passes is worth more than one where nearly all do.
/// let hard = Credit::START.after(1.0, 0.5, None);
/// let easy = Credit::START.after(1.0, 0.9, None);
/// assert!(hard.value() > easy.value() && easy.value() > 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credit {
    value: f32,
    evidence: i32,
}

impl Credit {
    /// The credit of a new memory.
    pub const START: Self = Self { value: 0.5, evidence: 0 };

    /// A stored credit.
    pub const fn stored(value: f32, evidence: i32) -> Self {
        let evidence = if evidence < 0 { 0 } else { evidence };
        Self { value: value.clamp(0.0, 1.0), evidence }
    }

    /// The credit after a run that used the memory: it moves towards the reward beyond expectation. `alpha` is the
    /// learning rate of the reviewer, if there is one.
    pub fn after(self, reward: f32, expected: f32, alpha: Option<f32>) -> Self {
        let step = alpha.unwrap_or_else(|| self.step());
        let worth = 0.5 + (reward - expected) / 2.0;
        let value = (self.value + step * (worth - self.value)).clamp(0.0, 1.0);
        Self { value, evidence: self.evidence.saturating_add(1) }
    }

    /// The credit after the memory's text was changed: the same value with half the evidence.
    pub const fn halved(self) -> Self {
        Self { value: self.value, evidence: self.evidence / 2 }
    }

    /// The mean of several credits, weighted by their reviews. Credits without reviews do not count.
    pub fn pooled(self, others: &[Self]) -> Self {
        let all = || std::iter::once(&self).chain(others);
        let evidence = all().fold(0_i32, |sum, one| sum.saturating_add(one.evidence));
        if evidence == 0 {
            return self;
        }
        let weighted: f64 = all().map(|one| f64::from(one.value) * f64::from(one.evidence)).sum();
        Self::stored((weighted / f64::from(evidence)) as f32, evidence)
    }

    /// The same for a review of an untrusted key: the value moves, the evidence stays.
    pub fn after_untrusted(self, reward: f32, expected: f32, alpha: f32) -> Self {
        Self { evidence: self.evidence, ..self.after(reward, expected, Some(alpha)) }
    }

    /// The number.
    pub const fn value(self) -> f32 {
        self.value
    }

    /// The number of reviews it is based on.
    pub const fn evidence(self) -> i32 {
        self.evidence
    }

    /// The utility for ranking: the credit plus its uncertainty. New memories get a chance this way.
    pub fn utility(self) -> f32 {
        (self.value + DEVIATION / self.known().sqrt()).clamp(0.0, 1.0)
    }

    /// The utility if the bonus also decreases with every retrieval that showed the memory. Benchmarks compare it with
    /// [`utility`](Self::utility).
    pub fn utility_when_shown(self, shown: i32) -> f32 {
        let known = self.evidence.max(shown) as f32 + 1.0 / FIRST_STEP;
        (self.value + DEVIATION / known.sqrt()).clamp(0.0, 1.0)
    }

    /// The 95 % confidence interval of the credit, if its true value does not change.
    pub fn interval(self) -> (f32, f32) {
        // The learning rate has a minimum; therefore only a limited number of the last reviews counts.
        let half = NORMAL_95 * DEVIATION / self.known().min((2.0 - SMALLEST_STEP) / SMALLEST_STEP).sqrt();
        ((self.value - half).max(0.0), (self.value + half).min(1.0))
    }

    fn step(self) -> f32 {
        SMALLEST_STEP.max(FIRST_STEP / (1.0 + FIRST_STEP * self.evidence as f32))
    }

    /// The starting value counts as `1 / FIRST_STEP` reviews that went as expected.
    fn known(self) -> f32 {
        self.evidence as f32 + 1.0 / FIRST_STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_falls_to_its_minimum_and_a_given_rate_is_used() {
        let steps: Vec<f32> = (0..9).map(|evidence| Credit::stored(0.5, evidence).step()).collect();
        assert_eq!(steps[0], 0.3);
        assert!(steps.is_sorted_by(|one, next| one >= next));
        assert_eq!(steps[8], 0.1);
        assert_eq!(Credit::stored(0.5, 100).after(1.0, 0.0, Some(1.0)).value(), 1.0);
    }

    #[test]
    fn a_memory_without_effect_keeps_its_credit() {
        let mut credit = Credit::START;
        for _ in 0..40 {
            for reward in [1.0, 1.0, 1.0, 0.0] {
                credit = credit.after(reward, 0.75, None);
            }
        }
        assert!((credit.value() - 0.5).abs() < 0.1, "{credit:?}");
        let (low, high) = credit.interval();
        assert!(low < 0.5 && 0.5 < high, "{low} {high}");
    }

    #[test]
    fn a_changed_text_keeps_its_credit_and_half_of_its_evidence() {
        assert_eq!(Credit::stored(0.8, 5).halved(), Credit::stored(0.8, 2));
        assert_eq!(Credit::START.halved(), Credit::START);
    }

    #[test]
    fn credits_are_pooled_by_evidence() {
        let pooled = Credit::stored(0.25, 1).pooled(&[Credit::stored(0.75, 3), Credit::stored(0.0, 0)]);
        assert_eq!(pooled, Credit::stored(0.625, 4));
        assert_eq!(Credit::stored(0.4, 0).pooled(&[Credit::START]), Credit::stored(0.4, 0));
    }

    #[test]
    fn an_untrusted_review_moves_the_credit_without_evidence() {
        let credit = Credit::START.after_untrusted(1.0, 0.5, 0.1);
        assert!(credit.value() > 0.5);
        assert_eq!(credit.evidence(), 0);
    }

    #[test]
    fn a_new_memory_ranks_higher_for_its_uncertainty() {
        assert!(Credit::START.utility() > Credit::stored(0.5, 20).utility());
        assert_eq!(Credit::stored(1.0, 0).utility(), 1.0);
    }

    #[test]
    fn the_bonus_can_also_end_with_what_was_shown() {
        let credit = Credit::stored(0.5, 2);
        assert_eq!(credit.utility_when_shown(0), credit.utility());
        assert_eq!(credit.utility_when_shown(20), Credit::stored(0.5, 20).utility());
    }
}
