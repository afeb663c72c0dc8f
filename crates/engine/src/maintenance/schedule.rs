//! Which steps of maintenance are due. Pure rules.

use std::time::Duration;

use reflect_store::{MaintenanceStep, StepProgress, StepState};
use reflect_types::ProjectId;

/// The time between two cycles of a step.
const PERIOD: Duration = Duration::from_secs(60 * 60);
/// The time after a failure, and after the start of a process: its configuration may have changed.
const SHORT_PERIOD: Duration = Duration::from_secs(60);
/// A step works at most this part of the time, however many projects there are.
const SHARE: u32 = 10;

/// Whether a step visits projects one by one.
pub(super) const fn visits_projects(step: MaintenanceStep) -> bool {
    match step {
        MaintenanceStep::Partitions
        | MaintenanceStep::AuditChains
        | MaintenanceStep::Sessions
        | MaintenanceStep::Jobs => false,
        MaintenanceStep::LostJobs
        | MaintenanceStep::ExpiredRows
        | MaintenanceStep::Retention
        | MaintenanceStep::Vectors
        | MaintenanceStep::Lessons
        | MaintenanceStep::Migrations
        | MaintenanceStep::Health
        | MaintenanceStep::DeletedProjects => true,
    }
}

/// The steps that are due. `is_start` says whether the process has just started.
pub(super) fn due_steps(states: &[StepState], is_start: bool) -> Vec<MaintenanceStep> {
    let state_of = |step: &MaintenanceStep| states.iter().find(|state| state.step == *step);
    let due =
        MaintenanceStep::ALL.iter().filter(|step| state_of(step).is_none_or(|state| is_due(state, is_start)));
    due.copied().collect()
}

fn is_due(state: &StepState, is_start: bool) -> bool {
    let is_interrupted = state.visited != ProjectId::INSTALLATION;
    let Some(rest) = state.ended.filter(|_| !is_interrupted) else { return true };
    let period = if is_start || state.last_error.is_some() { SHORT_PERIOD } else { PERIOD };
    rest >= period.max(state.worked.saturating_mul(SHARE))
}

/// The progress from which a step continues. An interrupted cycle is continued, else a new one begins.
pub(super) fn progress(step: MaintenanceStep, state: Option<&StepState>) -> StepProgress {
    let new = StepProgress {
        step,
        visited: ProjectId::INSTALLATION,
        worked: Duration::ZERO,
        failed_projects: 0,
        error: None,
        ended: false,
    };
    match state.filter(|state| state.visited != ProjectId::INSTALLATION) {
        None => new,
        Some(state) => {
            let error = state.last_error.clone().filter(|_| state.failed_projects > 0);
            let StepState { visited, worked, failed_projects, .. } = *state;
            StepProgress { visited, worked, failed_projects, error, ..new }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn ended(minutes_ago: u32) -> StepState {
        StepState {
            step: MaintenanceStep::Retention,
            visited: ProjectId::INSTALLATION,
            worked: Duration::from_secs(1),
            failed_projects: 0,
            last_error: None,
            ended: Some(MINUTE * minutes_ago),
            age: MINUTE * minutes_ago,
        }
    }

    #[test]
    fn a_step_is_due_every_hour_and_sooner_after_a_failure_or_a_start() {
        assert!(!is_due(&ended(59), false));
        assert!(is_due(&ended(60), false));
        assert!(is_due(&ended(1), true));
        assert!(is_due(&StepState { last_error: Some("refused".into()), ..ended(1) }, false));
        assert!(!is_due(&StepState { last_error: Some("refused".into()), ..ended(0) }, false));
    }

    #[test]
    fn an_interrupted_cycle_continues_at_once() {
        let interrupted = StepState { visited: ProjectId::new(7), ..ended(0) };
        assert!(is_due(&interrupted, false));
        assert!(is_due(&StepState { ended: None, ..ended(0) }, false));
        assert_eq!(progress(MaintenanceStep::Retention, Some(&interrupted)).visited, ProjectId::new(7));
    }

    #[test]
    fn a_long_cycle_rests_for_ten_times_as_long() {
        let long = |minutes_ago| StepState { worked: MINUTE * 20, ..ended(minutes_ago) };
        assert!(!is_due(&long(199), false));
        assert!(is_due(&long(200), false));
        assert!(!is_due(&StepState { last_error: Some("refused".into()), ..long(100) }, true));
    }

    #[test]
    fn steps_that_never_ran_are_due() {
        assert_eq!(due_steps(&[], false), MaintenanceStep::ALL);
        let due = due_steps(&[ended(1)], false);
        assert_eq!(due.len(), MaintenanceStep::ALL.len() - 1);
        assert!(!due.contains(&MaintenanceStep::Retention));
    }

    #[test]
    fn a_new_cycle_begins_without_the_errors_of_the_last() {
        let failed = StepState { failed_projects: 3, last_error: Some("refused".into()), ..ended(1) };
        let new = progress(MaintenanceStep::Retention, Some(&failed));
        assert_eq!((new.failed_projects, new.error, new.worked), (0, None, Duration::ZERO));
        let interrupted = StepState { visited: ProjectId::new(7), ..failed };
        let same = progress(MaintenanceStep::Retention, Some(&interrupted));
        assert_eq!((same.failed_projects, same.error.as_deref()), (3, Some("refused")));
    }
}
