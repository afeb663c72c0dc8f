//! The verdicts of an invented judge, whose agreement with people the console shows. They are stored directly, because only the
//! judge of a server gives verdicts.

use reflect_engine::{Engine, judge_identity};
use reflect_store::{JudgeIdentity, ModelCost, NewJudgement, ProjectCtx};
use reflect_types::{JudgeSettings, ProjectSlug, ReviewResult, TraceId};

use super::lots::spread;

const MODEL: &str = "example-judge";
/// It judges one run in this many, hidden from reviewers.
const ONE_IN: usize = 3;
/// The shares of runs about which it is wrong or cannot decide.
const WRONG: f64 = 0.1;
const UNCLEAR: f64 = 0.05;

/// The judge of the example project.
pub(super) struct ExampleJudge {
    project: ProjectCtx,
    identity: JudgeIdentity,
    /// How many reviewed runs it could have judged.
    seen: usize,
}

impl ExampleJudge {
    pub(super) async fn of(engine: &Engine, project: &ProjectSlug) -> anyhow::Result<Option<Self>> {
        let found = engine.store.catalogue().find_project(project).await?;
        let identity = judge_identity(&JudgeSettings::default(), MODEL);
        Ok(found.map(|id| Self { project: engine.store.project(id), identity, seen: 0 }))
    }

    /// Judges one run in three, without knowing what a person says.
    pub(super) async fn judge(&mut self, trace: TraceId, passed: bool) -> anyhow::Result<()> {
        let seen = self.seen;
        self.seen += 1;
        if !seen.is_multiple_of(ONE_IN) {
            return Ok(());
        }
        let verdict = verdict(seen / ONE_IN, passed);
        let judgement = NewJudgement {
            trace,
            result: verdict,
            feedback: None,
            confidence: Some(if verdict.is_some() { 0.9 } else { 0.4 }),
            by: &self.identity,
            blind: true,
        };
        self.project.judgements().record(&judgement, ModelCost::default()).await?;
        Ok(())
    }
}

/// What it says about the `nth` run that it judges.
fn verdict(nth: usize, passed: bool) -> Option<ReviewResult> {
    let lot = spread(nth);
    if lot < UNCLEAR {
        return None;
    }
    let says_pass = passed != (lot < UNCLEAR + WRONG);
    Some(if says_pass { ReviewResult::Pass } else { ReviewResult::Fail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_mostly_agrees_with_people() {
        let has_passed = |nth: usize| !nth.is_multiple_of(3);
        let verdicts: Vec<_> = (0..60).map(|nth| verdict(nth, has_passed(nth))).collect();
        let right = |nth: &usize| {
            verdicts[*nth].is_some_and(|result| (result == ReviewResult::Pass) == has_passed(*nth))
        };
        assert_eq!(verdicts.iter().filter(|verdict| verdict.is_none()).count(), 3);
        assert_eq!((0..60).filter(right).count(), 51);
    }
}
