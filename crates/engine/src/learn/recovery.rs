//! What to do when a lesson could not be written. A pure rule.

use std::time::Duration;

use reflect_model::Remedy;
use reflect_store::StoreError;

use super::error::LearnError;

/// After this many failures, minutes apart, the provider counts as down.
const MOST_FAILURES: i16 = 8;
/// The same prompt to the same model: after three unreadable answers, a fourth would be unreadable too.
const MOST_UNREADABLE: i16 = 3;
/// After this many refusals by the database a retry does not help.
const MOST_REFUSALS: i16 = 5;
/// Includes interrupted attempts: a run that crashes the process must not do so without end. Less than the limit at
/// which the queue drops a job silently.
pub(super) const MOST_ATTEMPTS: i16 = 20;
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(300);
const SHORTEST_DELAY: Duration = Duration::from_millis(100);

/// The next step.
#[derive(Debug)]
pub(super) enum Recovery {
    /// The queue runs the job again.
    Requeue(StoreError),
    /// Retry after a delay. `failed` says whether this counts as a failure.
    Wait { reason: String, delay: Duration, failed: bool },
    /// Compose the lesson without a model.
    Fallback { reason: String },
    /// Mark the trace as failed.
    Fail { reason: String },
}

/// `failures` includes this one. `chance` is between 0 and 1 and gives each job its own delay.
pub(super) fn recovery(error: LearnError, failures: i16, chance: f64) -> Recovery {
    let reason = error.describe();
    let wait = |reason, delay| Recovery::Wait { reason, delay, failed: true };
    let (remedy, writing) = match error {
        LearnError::Store(error @ (StoreError::Unavailable(_) | StoreError::Busy)) => {
            return Recovery::Requeue(error);
        }
        LearnError::Store(_) if failures < MOST_REFUSALS => return wait(reason, backoff(failures, chance)),
        LearnError::Store(_) => return fail(reason, failures),
        LearnError::Budget { rest, .. } => {
            let delay = rest + Duration::from_secs(60).mul_f64(chance);
            return Recovery::Wait { reason, delay, failed: false };
        }
        LearnError::Reflection(error) => (error.remedy, true),
        LearnError::Vector(error) => (error.remedy, false),
    };
    match remedy {
        Remedy::RetryLater { after } if failures < MOST_FAILURES => {
            wait(reason, backoff(failures, chance).max(after.unwrap_or_default()))
        }
        Remedy::Unreadable if failures < MOST_UNREADABLE => wait(reason, backoff(failures, chance)),
        Remedy::Unreadable if writing => Recovery::Fallback { reason },
        Remedy::DoNotRetry => Recovery::Fail { reason },
        Remedy::RetryLater { .. } | Remedy::Unreadable => fail(reason, failures),
    }
}

fn fail(reason: String, failures: i16) -> Recovery {
    Recovery::Fail { reason: format!("{reason} (tried {failures} times)") }
}

/// Exponential backoff with full jitter.
fn backoff(failures: i16, chance: f64) -> Duration {
    let doublings = u32::try_from(failures - 1).unwrap_or(0).min(16);
    (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY).mul_f64(chance).max(SHORTEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_model::ModelError;

    fn busy(after: Option<Duration>) -> LearnError {
        LearnError::Reflection(ModelError::retry_later("busy", after))
    }

    #[test]
    fn a_busy_provider_is_waited_for_as_long_as_it_asks() {
        let minute = Duration::from_secs(60);
        let Recovery::Wait { delay, .. } = recovery(busy(Some(minute)), 1, 0.5) else { panic!("waits") };
        assert_eq!(delay, minute);
    }

    #[test]
    fn waiting_grows_has_a_limit_and_ends() {
        let delay = |failures| match recovery(busy(None), failures, 1.0) {
            Recovery::Wait { delay, .. } => Some(delay.as_secs()),
            _ => None,
        };
        let delays: Vec<_> = (1..=8).map(delay).collect();
        assert_eq!(delays, [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), Some(64), None]);
    }

    #[test]
    fn what_will_be_refused_every_time_is_given_up_at_once() {
        let refused = LearnError::Reflection(ModelError::do_not_retry("the key is refused (401)"));
        let Recovery::Fail { reason } = recovery(refused, 1, 0.5) else { panic!("gives up") };
        assert!(reason.contains("401"), "{reason}");
    }

    #[test]
    fn a_reflection_nobody_can_read_is_done_without_and_a_vector_is_not() {
        let unreadable = || ModelError::unreadable("garbage");
        assert!(matches!(recovery(LearnError::Reflection(unreadable()), 1, 0.5), Recovery::Wait { .. }));
        assert!(matches!(recovery(LearnError::Reflection(unreadable()), 3, 0.5), Recovery::Fallback { .. }));
        assert!(matches!(recovery(LearnError::Vector(unreadable()), 3, 0.5), Recovery::Fail { .. }));
    }

    #[test]
    fn an_empty_purse_waits_for_tomorrow_and_is_no_failure() {
        let rest = Duration::from_secs(3600);
        let spent = LearnError::Budget { tokens: 10, rest };
        let Recovery::Wait { reason, delay, failed } = recovery(spent, 100, 0.0) else { panic!("waits") };
        assert_eq!((delay, failed), (rest, false));
        assert!(reason.contains("00:00 UTC"), "{reason}");
    }

    #[test]
    fn a_database_that_is_away_brings_the_job_again_and_one_that_refuses_does_not_for_ever() {
        let away = || LearnError::Store(StoreError::Conflict { what: "refused" });
        assert!(matches!(recovery(away(), 1, 0.5), Recovery::Wait { .. }));
        assert!(matches!(recovery(away(), MOST_REFUSALS, 0.5), Recovery::Fail { .. }));
    }
}
