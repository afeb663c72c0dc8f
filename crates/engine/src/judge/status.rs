//! How a project's judge stands: what it does, what its word is worth and why, what it costs.

use reflect_store::{JudgePairs, JudgeWeek};

use super::agreement::{FEWEST_PAIRS, FLOOR};
use super::{Agreement, JudgeSettings, Spent};
use crate::authenticate::Visitor;
use crate::{Engine, EngineError, manage_project};

/// What to do about a judge that knows too little.
pub(crate) const MEND: &str = "Make its rubric more specific, along the runs on which people said otherwise; \
    POST /v1/projects/{project_id}/judge/try shows what it would say. Or let another model judge: --judge-model of the \
    server. Either starts its measurement anew.";

/// What a judge does at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeState {
    /// It is switched off.
    Off,
    /// There is no model to ask.
    NoModel,
    /// It knows too little, and judges only where nothing comes of it.
    Stopped,
    /// Its tokens, or the project's, are used up for today.
    Spent,
    /// It judges.
    Judging,
}

/// How a judge stands.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeStatus {
    /// How it is set.
    pub settings: JudgeSettings,
    /// The model that is asked; none when none is configured.
    pub model: Option<String>,
    /// What it does at present.
    pub state: JudgeState,
    /// The same in words, with why.
    pub message: String,
    /// What to do about it; none where there is nothing to do.
    pub fix: Option<String>,
    /// What its word is worth.
    pub agreement: Agreement,
    /// What it did lately.
    pub week: JudgeWeek,
    /// What it cost today.
    pub tokens_today: i64,
}

impl Engine {
    /// How the judge of the visitor's project stands.
    pub async fn judge_status(&self, visitor: &Visitor) -> Result<JudgeStatus, EngineError> {
        let project = self.store.project(visitor.project);
        let facts = self.store.project_facts(visitor.project).await?;
        let settings = manage_project::read(&facts.settings).judge;
        let model = self.models.judge().map(|(model, _)| model.name().to_owned());
        let pairs = match &model {
            Some(model) => project.judge_pairs(&settings.identity(model)).await?,
            None => JudgePairs::default(),
        };
        let agreement = Agreement::of(pairs);
        let week = project.judge_week().await?;
        let (tokens_today, _) = project.judge_spent_today().await?;
        let spent = self.judge_spent(&project, visitor.project, &settings).await?;
        let (state, message, fix) = describe(&settings, model.is_some(), &agreement, spent);
        Ok(JudgeStatus { settings, model, state, message, fix, agreement, week, tokens_today })
    }
}

/// What a judge does at present, why, and what to do about it.
fn describe(
    settings: &JudgeSettings,
    has_model: bool,
    agreement: &Agreement,
    spent: Option<Spent>,
) -> (JudgeState, String, Option<String>) {
    if !settings.enabled {
        let fix = "PATCH /v1/projects/{project_id} with {\"judge\": {\"enabled\": true}} switches it on.";
        return (JudgeState::Off, "The judge is switched off.".to_owned(), Some(fix.to_owned()));
    }
    if !has_model {
        let fix = "Start the server with --text-provider and --text-model.";
        let message = "The judge is switched on, and no model is configured to ask.";
        return (JudgeState::NoModel, message.to_owned(), Some(fix.to_owned()));
    }
    if agreement.stopped {
        let (message, fix) = stopped(agreement, settings.blind_share);
        let also = spent.map(|spent| format!(" {}", spent.said())).unwrap_or_default();
        return (JudgeState::Stopped, format!("{message}{also}"), Some(fix));
    }
    if let Some(spent) = spent {
        let whose =
            if spent.own { "{\"judge\": {\"daily_tokens\": …}}" } else { "{\"daily_tokens\": …}" };
        let fix = format!(
            "PATCH /v1/projects/{{project_id}} with {whose} raises it, a lower judge.sample_rate saves."
        );
        return (JudgeState::Spent, spent.said(), Some(fix));
    }
    let step = format!("Its reviews move utilities by a step of {:.3}", agreement.step);
    if agreement.pairs.total() >= FEWEST_PAIRS {
        return (JudgeState::Judging, format!("{step}: {}.", agreement.said()), None);
    }
    let message = format!(
        "{step}, which is mostly assumed: there are {} runs that it and people looked at apart, and it takes \
         {FEWEST_PAIRS} to tell.",
        agreement.pairs.total()
    );
    let fix = if settings.blind_share > 0.0 {
        "Review some runs yourself: a share of those that are pending have a verdict of the judge that is kept back until \
         then."
    } else {
        "Its blind_share is 0, so what it knows cannot be measured; set it to 0.2, and review some runs yourself."
    };
    (JudgeState::Judging, message, Some(fix.to_owned()))
}

/// That a judge is stopped, why, and what to do.
pub(crate) fn stopped(agreement: &Agreement, blind_share: f64) -> (String, String) {
    let (rest, more) = if blind_share > 0.0 {
        ("It goes on judging its blind share, and begins again when it does better there.", "")
    } else {
        (
            "Its blind share is 0, so it judges nothing at all.",
            " With a blind_share above 0 it can show that it does better.",
        )
    };
    let message = format!(
        "The judge is stopped: {}, and below {FLOOR} its reviews are not worth having. {rest}",
        agreement.said()
    );
    (message, format!("{MEND}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn on() -> JudgeSettings {
        JudgeSettings { enabled: true, ..JudgeSettings::default() }
    }

    fn known(right: i64) -> Agreement {
        Agreement::of(JudgePairs { passes: 50, passes_right: right, fails: 50, fails_right: right })
    }

    #[test]
    fn it_says_what_it_does_why_and_what_to_do() {
        let purse = Some(Spent { tokens: 500, own: true, rest: Duration::from_secs(60) });
        let off = JudgeSettings::default();
        for (settings, has_model, agreement, spent, state, says) in [
            (&off, true, known(0), purse, JudgeState::Off, "switched off"),
            (&on(), false, known(0), purse, JudgeState::NoModel, "no model is configured"),
            (&on(), true, known(26), None, JudgeState::Stopped, "The judge is stopped"),
            (&on(), true, known(26), purse, JudgeState::Stopped, "00:00 UTC"),
            (&on(), true, known(45), purse, JudgeState::Spent, "budget of 500 tokens"),
            (&on(), true, known(45), None, JudgeState::Judging, "an agreement on 90 of 100"),
            (&on(), true, Agreement::of(JudgePairs::default()), None, JudgeState::Judging, "it takes 20"),
        ] {
            let (found, message, _) = describe(settings, has_model, &agreement, spent);
            assert_eq!(found, state, "{message}");
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn a_judge_that_cannot_be_measured_says_so() {
        let blindless = JudgeSettings { blind_share: 0.0, ..on() };
        let (_, _, fix) = describe(&blindless, true, &Agreement::of(JudgePairs::default()), None);
        assert!(fix.unwrap().contains("blind_share is 0"));
        let (message, fix) = stopped(&known(20), 0.0);
        assert!(message.contains("judges nothing at all") && fix.contains("above 0"), "{message} {fix}");
    }
}
