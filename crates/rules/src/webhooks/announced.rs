//! What was last announced about a project. A change is announced once, however often the state is computed.

use std::collections::BTreeMap;

use reflect_types::HealthLevel;
use serde::{Deserialize, Serialize};

/// The health of a learning loop, as it was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedHealth {
    /// The worst level of all checks.
    pub status: HealthLevel,
    /// The checks that found a problem, with their levels.
    pub problems: BTreeMap<String, HealthLevel>,
}

impl AnnouncedHealth {
    /// The state that these checks give.
    pub fn of<'a>(status: HealthLevel, checks: impl IntoIterator<Item = (&'a str, HealthLevel)>) -> Self {
        let problems = checks.into_iter().filter(|(_, level)| *level > HealthLevel::Unknown);
        Self { status, problems: problems.map(|(check, level)| (check.to_owned(), level)).collect() }
    }

    /// Whether this is worth an event after that state. A project without problems is not, if nothing was announced before;
    /// neither is a change between `ok` and `unknown`, which happens in every quiet week.
    pub fn differs_from(&self, before: Option<&Self>) -> bool {
        before.map_or(!self.problems.is_empty(), |before| self.problems != before.problems)
    }
}

/// A judge and whether it is stopped, as it was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedJudge {
    /// The model.
    pub model: String,
    /// Whether its agreement with people is too low.
    pub stopped: bool,
}

impl AnnouncedJudge {
    /// Whether the judge was stopped since that state.
    pub fn was_stopped_after(&self, before: Option<&Self>) -> bool {
        self.stopped && before.is_none_or(|before| !before.stopped || before.model != self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(checks: &[(&str, HealthLevel)]) -> AnnouncedHealth {
        let status = checks.iter().map(|(_, level)| *level).max().unwrap_or(HealthLevel::Ok);
        AnnouncedHealth::of(status, checks.iter().copied())
    }

    #[test]
    fn health_is_announced_when_a_problem_begins_changes_or_ends() {
        use HealthLevel::{Failing, Ok, Unknown, Warning};
        let (fine, quiet) = (health(&[("a", Ok), ("b", Ok)]), health(&[("a", Unknown), ("b", Ok)]));
        let (warning, failing) = (health(&[("a", Warning)]), health(&[("a", Failing)]));

        assert!(!fine.differs_from(None) && !quiet.differs_from(Some(&fine)));
        assert!(warning.differs_from(None) && warning.differs_from(Some(&fine)));
        assert!(failing.differs_from(Some(&warning)) && fine.differs_from(Some(&failing)));
        assert!(!failing.differs_from(Some(&failing.clone())));
        assert!(health(&[("b", Failing)]).differs_from(Some(&failing)));
    }

    #[test]
    fn a_judge_is_announced_each_time_it_is_stopped() {
        let judge = |model: &str, stopped| AnnouncedJudge { model: model.to_owned(), stopped };
        let stopped = judge("m", true);

        assert!(stopped.was_stopped_after(None) && stopped.was_stopped_after(Some(&judge("m", false))));
        assert!(stopped.was_stopped_after(Some(&judge("other", true))));
        assert!(!stopped.was_stopped_after(Some(&stopped.clone())));
        assert!(!judge("m", false).was_stopped_after(Some(&stopped)));
    }
}
