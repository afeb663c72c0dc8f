//! Checks changes of a judge's settings, and derives the identity of the judge.

use reflect_store::JudgeIdentity;
use reflect_types::{ChangeJudge, JudgeSettings};

use crate::error::EngineError;

/// Changes with every change of our prompt that may change verdicts, to measure them separately.
const WORDING: &str = "judge 1";
/// The rubric is part of every prompt, so it has to be short.
const LONGEST_RUBRIC: usize = 16 * 1024;
/// People have reviewed most runs by then.
const LONGEST_DELAY: u64 = 30 * 24 * 60 * 60;

/// The identity of the judge that these settings and this model make.
pub fn judge_identity(settings: &JudgeSettings, model: &str) -> JudgeIdentity {
    let mut digest = blake3::Hasher::new();
    digest.update(WORDING.as_bytes()).update(&[0]).update(settings.rubric.trim().as_bytes());
    JudgeIdentity { model: model.replace('\0', ""), rubric_digest: digest.finalize().into() }
}

/// Refuses values that are out of range.
pub(crate) fn check(change: &ChangeJudge) -> Result<(), EngineError> {
    for (field, share) in
        [("judge.sample_rate", change.sample_rate), ("judge.blind_share", change.blind_share)]
    {
        if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(EngineError::invalid(field, "must lie between 0 and 1"));
        }
    }
    if change.delay_seconds.is_some_and(|delay| delay > LONGEST_DELAY) {
        return Err(EngineError::invalid("judge.delay_seconds", "must not be more than 30 days"));
    }
    change.rubric.as_deref().map_or(Ok(()), |rubric| check_rubric("judge.rubric", rubric))
}

pub(crate) fn check_rubric(field: &'static str, rubric: &str) -> Result<(), EngineError> {
    if rubric.len() > LONGEST_RUBRIC {
        return Err(EngineError::invalid(field, "must not be longer than 16 kB"));
    }
    if rubric.contains('\0') {
        return Err(EngineError::invalid(field, "must not hold a NUL"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_model_or_rubric_is_another_judge_and_space_around_it_is_not() {
        let rubric = |rubric: &str| JudgeSettings { rubric: rubric.to_owned(), ..JudgeSettings::default() };
        let judge = judge_identity(&rubric("Be strict."), "m");
        assert_eq!(judge_identity(&rubric("Be strict.\n"), "m"), judge);
        assert_ne!(judge_identity(&rubric("Be kind."), "m"), judge);
        assert_ne!(judge_identity(&rubric("Be strict."), "n"), judge);
        // How much it looks at does not make it another one.
        let sampled = JudgeSettings { sample_rate: 0.5, ..rubric("Be strict.") };
        assert_eq!(judge_identity(&sampled, "m"), judge);
    }

    #[test]
    fn a_change_that_makes_no_sense_is_refused_by_name() {
        let usual = ChangeJudge::default;
        assert!(check(&ChangeJudge { sample_rate: Some(0.0), blind_share: Some(1.0), ..usual() }).is_ok());
        for (bad, said) in [
            (ChangeJudge { sample_rate: Some(1.5), ..usual() }, "judge.sample_rate must lie between 0 and 1"),
            (
                ChangeJudge { blind_share: Some(-0.1), ..usual() },
                "judge.blind_share must lie between 0 and 1",
            ),
            (
                ChangeJudge { delay_seconds: Some(u64::MAX), ..usual() },
                "judge.delay_seconds must not be more than 30 days",
            ),
            (
                ChangeJudge { rubric: Some("x".repeat(16 * 1024 + 1)), ..usual() },
                "judge.rubric must not be longer than 16 kB",
            ),
            (ChangeJudge { rubric: Some("\0".to_owned()), ..usual() }, "judge.rubric must not hold a NUL"),
        ] {
            assert_eq!(check(&bad).unwrap_err().to_string(), said);
        }
    }
}
