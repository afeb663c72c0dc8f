//! What a judge's word is worth, from runs that it and people looked at apart. Pure.
//!
//! Plain agreement would not do: where nine runs of ten pass, a judge that always says "pass" agrees with people on
//! nine of ten and knows nothing. So it is measured on good and on bad runs by themselves.

use reflect_evaluation::JUDGE_ALPHA;
use reflect_store::JudgePairs;
use reflect_types::Alpha;

/// Taken for granted before anything is known, of good runs and of bad ones: as if it had been right on three of
/// four. It gives a step of half the largest, and a few pairs outweigh it.
const PRIOR_RIGHT: f64 = 3.0;
const PRIOR: f64 = 4.0;
/// Fewer pairs stop nobody.
pub(super) const FEWEST_PAIRS: i64 = 20;
/// Below this a judge teaches more noise than it is worth paying for.
pub(super) const FLOOR: f64 = 0.2;

/// What a judge's word is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The pairs it rests on.
    pub pairs: JudgePairs,
    /// How often a run that passes is called so.
    pub tpr: f64,
    /// How often a run that fails is called so.
    pub tnr: f64,
    /// What it knows: 1 all of it, 0 nothing, below that it is worse than nothing.
    pub informedness: f64,
    /// How far its reviews move utilities.
    pub step: f64,
    /// Whether it knows too little to go on.
    pub stopped: bool,
}

impl Agreement {
    /// What these pairs say of a judge.
    ///
    /// ```
    /// use reflect_engine::Agreement;
    /// use reflect_store::JudgePairs;
    ///
    /// let unknown = Agreement::of(JudgePairs::default());
    /// assert_eq!((unknown.step, unknown.stopped), (0.05, false));
    ///
    /// // It always says "pass", where nine of ten pass.
    /// let parrot = Agreement::of(JudgePairs { passes: 180, passes_right: 180, fails: 20, fails_right: 0 });
    /// assert!(parrot.stopped, "{parrot:?}");
    /// ```
    pub fn of(pairs: JudgePairs) -> Self {
        let rate = |right: i64, all: i64| (right as f64 + PRIOR_RIGHT) / (all as f64 + PRIOR);
        let tpr = rate(pairs.passes_right, pairs.passes);
        let tnr = rate(pairs.fails_right, pairs.fails);
        let informedness = tpr + tnr - 1.0;
        Self {
            pairs,
            tpr,
            tnr,
            informedness,
            step: largest_step() * informedness.clamp(0.0, 1.0),
            stopped: pairs.total() >= FEWEST_PAIRS && informedness < FLOOR,
        }
    }

    /// The step, as a review takes it.
    pub(super) fn alpha(&self) -> Option<Alpha> {
        Alpha::try_from(self.step as f32).ok()
    }

    /// What it rests on, in words.
    pub(crate) fn said(&self) -> String {
        let JudgePairs { passes, passes_right, fails, fails_right } = self.pairs;
        format!(
            "of {passes} runs that people let pass it calls {passes_right} a pass, and of {fails} that they let fail it \
             calls {fails_right} a fail, each without having seen the other's verdict. That is an agreement on {} of {} and \
             an informedness of {:.2}",
            self.pairs.agreed(),
            self.pairs.total(),
            self.informedness
        )
    }
}

/// 0.1, without the digits that a float has beyond that.
fn largest_step() -> f64 {
    (f64::from(JUDGE_ALPHA) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(passes: i64, passes_right: i64, fails: i64, fails_right: i64) -> JudgePairs {
        JudgePairs { passes, passes_right, fails, fails_right }
    }

    #[test]
    fn a_judge_starts_with_half_a_step_and_earns_or_loses_the_rest() {
        assert_eq!(Agreement::of(pairs(0, 0, 0, 0)).step, 0.05);
        let good = Agreement::of(pairs(100, 100, 100, 100));
        assert!(good.step > 0.09 && good.step <= 0.1, "{good:?}");
        let guessing = Agreement::of(pairs(100, 50, 100, 50));
        assert!(guessing.step < 0.005 && guessing.stopped, "{guessing:?}");
    }

    #[test]
    fn what_always_says_the_same_knows_nothing_however_often_it_is_right() {
        let parrot = Agreement::of(pairs(180, 180, 20, 0));
        assert_eq!(parrot.pairs.agreed(), 180);
        assert!(parrot.informedness < 0.13 && parrot.stopped, "{parrot:?}");
        let pessimist = Agreement::of(pairs(20, 0, 180, 180));
        assert!(pessimist.stopped, "{pessimist:?}");
    }

    #[test]
    fn a_few_pairs_stop_nobody_and_twenty_stop_who_guesses() {
        assert!(!Agreement::of(pairs(10, 0, 9, 0)).stopped);
        assert!(Agreement::of(pairs(10, 0, 10, 0)).stopped);
        assert!(Agreement::of(pairs(10, 5, 10, 5)).stopped);
        // Right on four of five: it would take a run of bad luck that comes once in four hundred.
        assert!(!Agreement::of(pairs(10, 6, 10, 5)).stopped);
    }

    #[test]
    fn a_judge_of_bad_luck_is_stopped_once_in_hundreds_of_times_and_no_oftener() {
        // Right with 0.8 on 10 good and 10 bad runs. All ways it can go, weighed.
        let chance = |right: i64| {
            let choose: f64 = (0..right).map(|i| (10 - i) as f64 / (i + 1) as f64).product();
            choose * 0.8_f64.powi(right as i32) * 0.2_f64.powi(10 - right as i32)
        };
        let mut stopped = 0.0;
        for good in 0..=10 {
            for bad in 0..=10 {
                if Agreement::of(pairs(10, good, 10, bad)).stopped {
                    stopped += chance(good) * chance(bad);
                }
            }
        }
        assert!(stopped < 0.003, "{stopped}");
    }

    proptest! {
        #[test]
        fn a_step_is_never_above_the_largest_nor_below_nothing(
            passes in 0_i64..300, fails in 0_i64..300, right in 0.0_f64..=1.0, wrong in 0.0_f64..=1.0
        ) {
            let part = |all: i64, share: f64| (all as f64 * share) as i64;
            let agreement = Agreement::of(pairs(passes, part(passes, right), fails, part(fails, wrong)));
            prop_assert!((0.0..=0.1).contains(&agreement.step));
            prop_assert!(agreement.alpha().is_some());
        }

        #[test]
        fn being_right_once_more_never_lowers_the_step(passes in 1_i64..200, fails in 1_i64..200, right in 0_i64..200) {
            let right = right.min(passes - 1);
            let before = Agreement::of(pairs(passes, right, fails, fails / 2));
            let after = Agreement::of(pairs(passes, right + 1, fails, fails / 2));
            prop_assert!(after.step >= before.step);
        }
    }
}
