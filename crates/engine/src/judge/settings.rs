//! How a project's judge is set, and which judge that makes it.

use reflect_store::JudgeIdentity;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Changes with every wording of ours that could change verdicts, so that they are not measured together.
const WORDING: &str = "judge 1";
/// A rubric is read with every run; a longer one is a document, not a rubric.
const LONGEST_RUBRIC: usize = 16 * 1024;
/// Whoever wants to wait longer than people take wants no judge.
const LONGEST_DELAY: u64 = 30 * 24 * 60 * 60;

/// How a project's judge is set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeSettings {
    /// Whether it reviews runs that nobody has reviewed.
    pub enabled: bool,
    /// What a run has to meet; empty when the task says it all.
    pub rubric: String,
    /// The share of runs that it looks at.
    pub sample_rate: f64,
    /// The share of those whose verdict is kept back, to be compared with what people say.
    pub blind_share: f64,
    /// The most tokens that it may cost in a day (UTC), within the project's own; none for no limit but that.
    pub daily_tokens: Option<u64>,
    /// How old a run must be before it looks: people and clients go first.
    pub delay_seconds: u64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            rubric: String::new(),
            sample_rate: 1.0,
            // A fifth: enough to measure a judge within a few days, and most of its work still counts.
            blind_share: 0.2,
            daily_tokens: None,
            delay_seconds: 30,
        }
    }
}

impl JudgeSettings {
    /// Which judge this is, given its model.
    pub fn identity(&self, model: &str) -> JudgeIdentity {
        let mut digest = blake3::Hasher::new();
        digest.update(WORDING.as_bytes()).update(&[0]).update(self.rubric.trim().as_bytes());
        JudgeIdentity { model: model.replace('\0', ""), rubric_digest: digest.finalize().into() }
    }
}

/// Which settings of a judge to change; those that are absent stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct JudgeChange {
    /// Whether it reviews runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What a run has to meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// The share of runs that it looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<f64>,
    /// The share of those whose verdict is kept back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blind_share: Option<f64>,
    /// The most tokens that it may cost in a day; none inside takes its own limit away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_tokens: Option<Option<u64>>,
    /// How old a run must be before it looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<u64>,
}

impl JudgeChange {
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        for (field, share) in
            [("judge.sample_rate", self.sample_rate), ("judge.blind_share", self.blind_share)]
        {
            if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return Err(EngineError::invalid(field, "must lie between 0 and 1"));
            }
        }
        if self.delay_seconds.is_some_and(|delay| delay > LONGEST_DELAY) {
            return Err(EngineError::invalid("judge.delay_seconds", "must not be more than 30 days"));
        }
        self.rubric.as_deref().map_or(Ok(()), |rubric| check_rubric("judge.rubric", rubric))
    }
}

pub(super) fn check_rubric(field: &'static str, rubric: &str) -> Result<(), EngineError> {
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
        let judge = rubric("Be strict.").identity("m");
        assert_eq!(rubric("Be strict.\n").identity("m"), judge);
        assert_ne!(rubric("Be kind.").identity("m"), judge);
        assert_ne!(rubric("Be strict.").identity("n"), judge);
        // How much it looks at does not make it another one.
        let sampled = JudgeSettings { sample_rate: 0.5, ..rubric("Be strict.") };
        assert_eq!(sampled.identity("m"), judge);
    }

    #[test]
    fn a_change_that_makes_no_sense_is_refused_by_name() {
        let usual = JudgeChange::default;
        assert!(JudgeChange { sample_rate: Some(0.0), blind_share: Some(1.0), ..usual() }.check().is_ok());
        for (bad, said) in [
            (JudgeChange { sample_rate: Some(1.5), ..usual() }, "judge.sample_rate must lie between 0 and 1"),
            (
                JudgeChange { blind_share: Some(-0.1), ..usual() },
                "judge.blind_share must lie between 0 and 1",
            ),
            (
                JudgeChange { delay_seconds: Some(u64::MAX), ..usual() },
                "judge.delay_seconds must not be more than 30 days",
            ),
            (
                JudgeChange { rubric: Some("x".repeat(16 * 1024 + 1)), ..usual() },
                "judge.rubric must not be longer than 16 kB",
            ),
            (JudgeChange { rubric: Some("\0".to_owned()), ..usual() }, "judge.rubric must not hold a NUL"),
        ] {
            assert_eq!(bad.check().unwrap_err().to_string(), said);
        }
    }
}
