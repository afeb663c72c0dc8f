//! The agreement of a judge, or of a source of signals, with people on runs that both judged independently, and the learning
//! rate that follows from it.
//!
//! The share of equal verdicts is not enough: if nine of ten runs pass, a judge that always says "pass" agrees on nine
//! of ten. So the runs that people passed and the runs that they failed are measured separately.

use reflect_evaluation::JUDGE_ALPHA;
use reflect_store::VerdictPairs;
use reflect_types::Alpha;

use crate::uplift::share_interval;

/// The prior, for passed runs and for failed runs: 3 of 4 verdicts are correct. Without pairs, the learning rate is
/// half of its maximum.
const PRIOR_CORRECT: f64 = 3.0;
const PRIOR_PAIRS: f64 = 4.0;
/// The minimum number of pairs at which a judge can be stopped.
pub(crate) const FEWEST_PAIRS: i64 = 20;
/// The minimum informedness. A judge with less adds more noise than information and is stopped.
pub(crate) const FLOOR: f64 = 0.2;

/// The agreement of a judge, or of a source of signals, with people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The runs that both sides judged.
    pub pairs: VerdictPairs,
    /// The true positive rate: the share of runs passed by people that the other side passes too, with the prior.
    pub tpr: f64,
    /// The true negative rate: the share of runs failed by people that the other side fails too, with the prior.
    pub tnr: f64,
    /// Youden's J, `tpr + tnr - 1`: 1 for perfect verdicts, 0 for random ones, negative for worse than random.
    pub informedness: f64,
    /// The learning rate of its reviews.
    pub step: f64,
    /// Whether the agreement is too low. A stopped judge, or source, has an effect on no run. It is still measured on
    /// blind runs, whose verdicts are hidden from reviewers.
    pub stopped: bool,
}

impl Agreement {
    /// The agreement that these pairs show.
    ///
    /// ```
    /// use reflect_engine::Agreement;
    /// use reflect_store::VerdictPairs;
    ///
    /// let unknown = Agreement::of(VerdictPairs::default());
    /// assert_eq!((unknown.step, unknown.stopped), (0.05, false));
    ///
    /// // This judge always says "pass", and nine of ten runs pass.
    /// let constant = Agreement::of(VerdictPairs { passes: 180, agreed_passes: 180, fails: 20, agreed_fails: 0 });
    /// assert!(constant.stopped, "{constant:?}");
    /// ```
    pub fn of(pairs: VerdictPairs) -> Self {
        let rate = |correct: i64, all: i64| (correct as f64 + PRIOR_CORRECT) / (all as f64 + PRIOR_PAIRS);
        let tpr = rate(pairs.agreed_passes, pairs.passes);
        let tnr = rate(pairs.agreed_fails, pairs.fails);
        let informedness = tpr + tnr - 1.0;
        Self {
            pairs,
            tpr,
            tnr,
            informedness,
            step: max_step() * informedness.clamp(0.0, 1.0),
            stopped: pairs.total() >= FEWEST_PAIRS && informedness < FLOOR,
        }
    }

    /// The 95 % confidence interval of the share of equal verdicts. `None` without pairs.
    pub fn interval(&self) -> Option<(f64, f64)> {
        share_interval(self.pairs.agreed(), self.pairs.total())
    }

    /// The learning rate as an [`Alpha`].
    pub(crate) fn alpha(&self) -> Option<Alpha> {
        Alpha::try_from(self.step as f32).ok()
    }

    /// The evidence as text.
    pub(crate) fn describe(&self) -> String {
        let VerdictPairs { passes, agreed_passes, fails, agreed_fails } = self.pairs;
        format!(
            "it agrees with people on {} of {} runs that both judged without seeing the other's verdict \
             ({agreed_passes} of {passes} passes, {agreed_fails} of {fails} fails; informedness {:.2})",
            self.pairs.agreed(),
            self.pairs.total(),
            self.informedness
        )
    }
}

/// [`JUDGE_ALPHA`] as the `f64` value 0.1. A direct conversion from `f32` gives 0.10000000149.
fn max_step() -> f64 {
    (f64::from(JUDGE_ALPHA) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(passes: i64, agreed_passes: i64, fails: i64, agreed_fails: i64) -> VerdictPairs {
        VerdictPairs { passes, agreed_passes, fails, agreed_fails }
    }

    #[test]
    fn the_step_starts_at_half_of_the_maximum_and_follows_the_agreement() {
        assert_eq!(Agreement::of(pairs(0, 0, 0, 0)).step, 0.05);
        let good = Agreement::of(pairs(100, 100, 100, 100));
        assert!(good.step > 0.09 && good.step <= 0.1, "{good:?}");
        let random = Agreement::of(pairs(100, 50, 100, 50));
        assert!(random.step < 0.005 && random.stopped, "{random:?}");
    }

    #[test]
    fn a_judge_with_a_constant_verdict_is_stopped_even_if_it_is_often_right() {
        let always_pass = Agreement::of(pairs(180, 180, 20, 0));
        assert_eq!(always_pass.pairs.agreed(), 180);
        assert!(always_pass.informedness < 0.13 && always_pass.stopped, "{always_pass:?}");
        let always_fail = Agreement::of(pairs(20, 0, 180, 180));
        assert!(always_fail.stopped, "{always_fail:?}");
    }

    #[test]
    fn a_judge_is_not_stopped_before_twenty_pairs() {
        assert!(!Agreement::of(pairs(10, 0, 9, 0)).stopped);
        assert!(Agreement::of(pairs(10, 0, 10, 0)).stopped);
        assert!(Agreement::of(pairs(10, 5, 10, 5)).stopped);
        // 11 of 20 is enough. A judge that is right with probability 0.8 gets 10 or fewer about once in 400 samples.
        assert!(!Agreement::of(pairs(10, 6, 10, 5)).stopped);
    }

    #[test]
    fn a_good_judge_is_stopped_by_chance_in_less_than_three_of_a_thousand_cases() {
        // A judge that is right with probability 0.8, on 10 passed and 10 failed runs. Adds the probabilities of all
        // outcomes that stop it.
        let probability = |right: i64| {
            let choose: f64 = (0..right).map(|i| (10 - i) as f64 / (i + 1) as f64).product();
            choose * 0.8_f64.powi(right as i32) * 0.2_f64.powi(10 - right as i32)
        };
        let mut stopped = 0.0;
        for agreed_passes in 0..=10 {
            for agreed_fails in 0..=10 {
                if Agreement::of(pairs(10, agreed_passes, 10, agreed_fails)).stopped {
                    stopped += probability(agreed_passes) * probability(agreed_fails);
                }
            }
        }
        assert!(stopped < 0.003, "{stopped}");
    }

    proptest! {
        #[test]
        fn the_step_is_between_zero_and_the_maximum(
            passes in 0_i64..300, fails in 0_i64..300, pass_share in 0.0_f64..=1.0, fail_share in 0.0_f64..=1.0
        ) {
            let part = |all: i64, share: f64| (all as f64 * share) as i64;
            let agreement = Agreement::of(pairs(passes, part(passes, pass_share), fails, part(fails, fail_share)));
            prop_assert!((0.0..=0.1).contains(&agreement.step));
            prop_assert!(agreement.alpha().is_some());
        }

        #[test]
        fn a_correct_verdict_never_lowers_the_step(passes in 1_i64..200, fails in 1_i64..200, right in 0_i64..200) {
            let right = right.min(passes - 1);
            let before = Agreement::of(pairs(passes, right, fails, fails / 2));
            let after = Agreement::of(pairs(passes, right + 1, fails, fails / 2));
            prop_assert!(after.step >= before.step);
        }
    }
}
