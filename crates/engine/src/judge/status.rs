//! The state of a project's judge: its activity, its agreement with people and its cost.

use reflect_store::{JudgeWeekCounts, VerdictPairs};
use reflect_types::{JudgeSettings, JudgeState};

use super::budget::SpentBudget;
use super::service::Judge;
use crate::agreement::{Agreement, FEWEST_PAIRS, FLOOR};
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::judge_profile::IMPROVE;
use crate::judge_settings::judge_identity;
use crate::project_cache;

/// The state of a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeReport {
    /// The settings.
    pub settings: JudgeSettings,
    /// The model; `None` if none is configured.
    pub model: Option<String>,
    /// What it does now.
    pub state: JudgeState,
    /// The state as a sentence, with the reason.
    pub message: String,
    /// What to do; `None` if there is nothing to do.
    pub fix: Option<String>,
    /// Its agreement with people.
    pub agreement: Agreement,
    /// Its work in the last days.
    pub week: JudgeWeekCounts,
    /// The tokens it used today.
    pub tokens_today: i64,
}

impl Judge {
    /// The state of the judge of the caller's project.
    pub async fn status(&self, visitor: &Visitor) -> Result<JudgeReport, EngineError> {
        let project = self.store.project(visitor.project);
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).judge;
        let model = self.models.judge().map(|(model, _)| model.name().to_owned());
        // Without a configured model, the agreement is that of the last judge.
        let measured = match &model {
            Some(model) => Some(model.clone()),
            None => project.judgements().last_model().await?,
        };
        let pairs = match measured {
            Some(model) => project.judgements().pairs(&judge_identity(&settings, &model)).await?,
            None => VerdictPairs::default(),
        };
        let agreement = Agreement::of(pairs);
        let week = project.judgements().week().await?;
        let (tokens_today, _) = project.judgements().spent_today().await?;
        let spent = self.budget.spent(&project, visitor.project, &settings).await?;
        let (state, message, fix) = describe(&settings, model.is_some(), &agreement, spent);
        Ok(JudgeReport { settings, model, state, message, fix, agreement, week, tokens_today })
    }
}

/// The activity of a judge, the reason, and what to do.
fn describe(
    settings: &JudgeSettings,
    has_model: bool,
    agreement: &Agreement,
    spent: Option<SpentBudget>,
) -> (JudgeState, String, Option<String>) {
    if !settings.enabled {
        let fix = "PATCH /v1/projects/{project_id} with {\"judge\": {\"enabled\": true}} enables it.";
        return (JudgeState::Off, "The judge is disabled.".to_owned(), Some(fix.to_owned()));
    }
    if !has_model {
        let fix = "Start the server with --text-provider and --text-model.";
        let message = "The judge is enabled, but no model is configured.";
        return (JudgeState::NoModel, message.to_owned(), Some(fix.to_owned()));
    }
    if agreement.stopped {
        let (message, fix) = stopped(agreement, settings.blind_share);
        let also = spent.map(|spent| format!(" {}", spent.describe())).unwrap_or_default();
        return (JudgeState::Stopped, format!("{message}{also}"), Some(fix));
    }
    if let Some(spent) = spent {
        let whose =
            if spent.own { "{\"judge\": {\"daily_tokens\": …}}" } else { "{\"daily_tokens\": …}" };
        let fix = format!(
            "PATCH /v1/projects/{{project_id}} with {whose} raises it; a lower judge.sample_rate saves tokens."
        );
        return (JudgeState::Spent, spent.describe(), Some(fix));
    }
    let step = format!("Its reviews move utilities by a step of {:.3}", agreement.step);
    if agreement.pairs.total() >= FEWEST_PAIRS {
        return (JudgeState::Judging, format!("{step}: {}.", agreement.describe()), None);
    }
    let message = format!(
        "{step}, which is mostly assumed: there are {} runs that it and people judged independently, and it takes \
         {FEWEST_PAIRS} to tell.",
        agreement.pairs.total()
    );
    let fix = if settings.blind_share > 0.0 {
        "Review some runs yourself: a share of those that are pending have a verdict of the judge that is withheld until \
         then."
    } else {
        "Its blind_share is 0, so what it knows cannot be measured; set it to 0.2, and review some runs yourself."
    };
    (JudgeState::Judging, message, Some(fix.to_owned()))
}

/// The message for a stopped judge, and what to do.
fn stopped(agreement: &Agreement, blind_share: f64) -> (String, String) {
    let (rest, more) = if blind_share > 0.0 {
        ("It continues to judge its blind share, and starts again when it agrees better there.", "")
    } else {
        (
            "Its blind share is 0, so it judges nothing at all.",
            " With a blind_share above 0 it can show that it does better.",
        )
    };
    let message = format!(
        "The judge is stopped: {}. Below an informedness of {FLOOR} its reviews are not used. {rest}",
        agreement.describe()
    );
    (message, format!("{IMPROVE}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn on() -> JudgeSettings {
        JudgeSettings { enabled: true, ..JudgeSettings::default() }
    }

    fn known(right: i64) -> Agreement {
        Agreement::of(VerdictPairs { passes: 50, agreed_passes: right, fails: 50, agreed_fails: right })
    }

    #[test]
    fn it_says_what_it_does_why_and_what_to_do() {
        let purse = Some(SpentBudget { tokens: 500, own: true, rest: Duration::from_secs(60) });
        let off = JudgeSettings::default();
        for (settings, has_model, agreement, spent, state, says) in [
            (&off, true, known(0), purse, JudgeState::Off, "disabled"),
            (&on(), false, known(0), purse, JudgeState::NoModel, "no model is configured"),
            (&on(), true, known(26), None, JudgeState::Stopped, "The judge is stopped"),
            (&on(), true, known(26), purse, JudgeState::Stopped, "00:00 UTC"),
            (&on(), true, known(45), purse, JudgeState::Spent, "budget of 500 tokens"),
            (&on(), true, known(45), None, JudgeState::Judging, "agrees with people on 90 of 100"),
            (&on(), true, Agreement::of(VerdictPairs::default()), None, JudgeState::Judging, "it takes 20"),
        ] {
            let (found, message, _) = describe(settings, has_model, &agreement, spent);
            assert_eq!(found, state, "{message}");
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn a_judge_that_cannot_be_measured_says_so() {
        let blindless = JudgeSettings { blind_share: 0.0, ..on() };
        let (_, _, fix) = describe(&blindless, true, &Agreement::of(VerdictPairs::default()), None);
        assert!(fix.unwrap().contains("blind_share is 0"));
        let (message, fix) = stopped(&known(20), 0.0);
        assert!(message.contains("judges nothing at all") && fix.contains("above 0"), "{message} {fix}");
    }
}
