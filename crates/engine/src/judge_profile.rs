//! The judge of a project, and its agreement with people on runs that both judged independently.
//!
//! The share of equal verdicts is not enough: if nine of ten runs pass, a judge that always says "pass" agrees on nine
//! of ten. So the runs that people passed and the runs that they failed are measured separately.

use reflect_evaluation::JUDGE_ALPHA;
use reflect_store::{JudgeIdentity, JudgePairs, StoreError};
use reflect_types::{Alpha, JudgeSettings, ProjectId};

use crate::judge_settings::judge_identity;
use crate::models::TextModels;
use crate::project_cache::{self, ProjectCache};

/// The prior, for passed runs and for failed runs: 3 of 4 verdicts are correct. Without pairs, the learning rate is
/// half of its maximum.
const PRIOR_CORRECT: f64 = 3.0;
const PRIOR_PAIRS: f64 = 4.0;
/// The minimum number of pairs at which a judge can be stopped.
pub(crate) const FEWEST_PAIRS: i64 = 20;
/// The minimum informedness. A judge with less adds more noise than information and is stopped.
pub(crate) const FLOOR: f64 = 0.2;

/// What to do about a judge whose agreement with people is too low.
pub(crate) const IMPROVE: &str = "Make its rubric more specific, using the runs on which people disagreed; \
    POST /v1/projects/{project_id}/judge/try shows its verdict on a run. Or use another model: --judge-model of the \
    server. Both restart its measurement.";

/// The judge of a project.
#[derive(Debug, Clone)]
pub(crate) struct JudgeProfile {
    pub(crate) settings: JudgeSettings,
    pub(crate) identity: JudgeIdentity,
}

/// Finds the judge of a project.
#[derive(Debug, Clone)]
pub(crate) struct JudgeProfiles {
    projects: ProjectCache,
    models: TextModels,
}

impl JudgeProfiles {
    pub(crate) const fn new(projects: ProjectCache, models: TextModels) -> Self {
        Self { projects, models }
    }

    /// The judge of a project; `None` if it is disabled, there is no model, or the project was deleted.
    pub(crate) async fn active(&self, project: ProjectId) -> Result<Option<JudgeProfile>, StoreError> {
        let facts = match self.projects.facts(project).await {
            Ok(facts) => facts,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let settings = project_cache::settings(&facts.settings).judge;
        let model = self.models.judge().filter(|_| settings.enabled);
        Ok(model
            .map(|(model, _)| JudgeProfile { identity: judge_identity(&settings, model.name()), settings }))
    }
}

/// The agreement of a judge with people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The runs that the judge and a person judged.
    pub pairs: JudgePairs,
    /// The true positive rate: the share of runs passed by people that the judge passes too, with the prior.
    pub tpr: f64,
    /// The true negative rate: the share of runs failed by people that the judge fails too, with the prior.
    pub tnr: f64,
    /// Youden's J, `tpr + tnr - 1`: 1 for a perfect judge, 0 for random verdicts, negative for worse than random.
    pub informedness: f64,
    /// The learning rate of the judge's reviews.
    pub step: f64,
    /// Whether the agreement is too low. A stopped judge judges only blind runs (their verdicts are hidden from
    /// reviewers), and its verdicts have no effect.
    pub stopped: bool,
}

impl Agreement {
    /// The agreement that these pairs show.
    ///
    /// ```
    /// use reflect_engine::Agreement;
    /// use reflect_store::JudgePairs;
    ///
    /// let unknown = Agreement::of(JudgePairs::default());
    /// assert_eq!((unknown.step, unknown.stopped), (0.05, false));
    ///
    /// // This judge always says "pass", and nine of ten runs pass.
    /// let constant = Agreement::of(JudgePairs { passes: 180, agreed_passes: 180, fails: 20, agreed_fails: 0 });
    /// assert!(constant.stopped, "{constant:?}");
    /// ```
    pub fn of(pairs: JudgePairs) -> Self {
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

    /// The learning rate as an [`Alpha`].
    pub(crate) fn alpha(&self) -> Option<Alpha> {
        Alpha::try_from(self.step as f32).ok()
    }

    /// The evidence as text.
    pub(crate) fn describe(&self) -> String {
        let JudgePairs { passes, agreed_passes, fails, agreed_fails } = self.pairs;
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

    fn pairs(passes: i64, agreed_passes: i64, fails: i64, agreed_fails: i64) -> JudgePairs {
        JudgePairs { passes, agreed_passes, fails, agreed_fails }
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
