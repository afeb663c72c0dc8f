//! What to do when a lesson could not be made. A pure rule.

use std::time::Duration;

use reflect_model::Remedy;
use reflect_store::StoreError;

use super::{Obstacle, describe};

/// A provider that was down eight times in a row, minutes apart, is down for the day.
const MOST_FAILURES: i16 = 8;
/// The same question to the same model: a third useless answer says that the fourth would be useless.
const MOST_UNREADABLE: i16 = 3;
/// What the database refuses five times it refuses for a reason that time does not change.
const MOST_REFUSALS: i16 = 5;
/// Attempts that were cut short count too: a run that ends the process each time must not do so for ever.
/// Fewer than after which the queue itself would drop the job without a word.
pub(super) const MOST_ATTEMPTS: i16 = 20;
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(300);
const SHORTEST_DELAY: Duration = Duration::from_millis(100);

/// What to do next.
#[derive(Debug)]
pub(super) enum NextStep {
    /// The queue brings the job again by itself.
    Again(StoreError),
    /// Try again after a while. A failure counts; waiting for something else does not.
    Wait { reason: String, delay: Duration, failed: bool },
    /// Let the lesson be made without a model.
    WithoutModel { reason: String },
    /// Leave it to a person.
    GiveUp { reason: String },
}

/// `failures` counts this one. `chance` lies between 0 and 1: of those who fail together, each comes back
/// at a time of its own.
pub(super) fn next_step(obstacle: Obstacle, failures: i16, chance: f64) -> NextStep {
    let reason = describe(&obstacle);
    let wait = |reason, delay| NextStep::Wait { reason, delay, failed: true };
    let (remedy, writing) = match obstacle {
        Obstacle::Store(error @ StoreError::Unavailable(_)) => return NextStep::Again(error),
        Obstacle::Store(_) if failures < MOST_REFUSALS => return wait(reason, backoff(failures, chance)),
        Obstacle::Store(_) => return give_up(reason, failures),
        Obstacle::Budget { rest, .. } => {
            let delay = rest + Duration::from_secs(60).mul_f64(chance);
            return NextStep::Wait { reason, delay, failed: false };
        }
        Obstacle::Reflection(error) => (error.remedy, true),
        Obstacle::Vector(error) => (error.remedy, false),
    };
    match remedy {
        Remedy::RetryLater { after } if failures < MOST_FAILURES => {
            wait(reason, backoff(failures, chance).max(after.unwrap_or_default()))
        }
        Remedy::Unreadable if failures < MOST_UNREADABLE => wait(reason, backoff(failures, chance)),
        Remedy::Unreadable if writing => NextStep::WithoutModel { reason },
        Remedy::DoNotRetry => NextStep::GiveUp { reason },
        Remedy::RetryLater { .. } | Remedy::Unreadable => give_up(reason, failures),
    }
}

fn give_up(reason: String, failures: i16) -> NextStep {
    NextStep::GiveUp { reason: format!("{reason} (tried {failures} times)") }
}

/// Doubles with every attempt; a random part of it is waited for.
fn backoff(failures: i16, chance: f64) -> Duration {
    let doublings = u32::try_from(failures - 1).unwrap_or(0).min(16);
    (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY).mul_f64(chance).max(SHORTEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_model::ModelError;

    fn busy(after: Option<Duration>) -> Obstacle {
        Obstacle::Reflection(ModelError::retry_later("busy", after))
    }

    #[test]
    fn a_busy_provider_is_waited_for_as_long_as_it_asks() {
        let minute = Duration::from_secs(60);
        let NextStep::Wait { delay, .. } = next_step(busy(Some(minute)), 1, 0.5) else { panic!("waits") };
        assert_eq!(delay, minute);
    }

    #[test]
    fn waiting_grows_has_a_limit_and_ends() {
        let delay = |failures| match next_step(busy(None), failures, 1.0) {
            NextStep::Wait { delay, .. } => Some(delay.as_secs()),
            _ => None,
        };
        let delays: Vec<_> = (1..=8).map(delay).collect();
        assert_eq!(delays, [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), Some(64), None]);
    }

    #[test]
    fn what_will_be_refused_every_time_is_given_up_at_once() {
        let refused = Obstacle::Reflection(ModelError::do_not_retry("the key is refused (401)"));
        let NextStep::GiveUp { reason } = next_step(refused, 1, 0.5) else { panic!("gives up") };
        assert!(reason.contains("401"), "{reason}");
    }

    #[test]
    fn a_reflection_nobody_can_read_is_done_without_and_a_vector_is_not() {
        let unreadable = || ModelError::unreadable("garbage");
        assert!(matches!(next_step(Obstacle::Reflection(unreadable()), 1, 0.5), NextStep::Wait { .. }));
        assert!(matches!(
            next_step(Obstacle::Reflection(unreadable()), 3, 0.5),
            NextStep::WithoutModel { .. }
        ));
        assert!(matches!(next_step(Obstacle::Vector(unreadable()), 3, 0.5), NextStep::GiveUp { .. }));
    }

    #[test]
    fn an_empty_purse_waits_for_tomorrow_and_is_no_failure() {
        let rest = Duration::from_secs(3600);
        let spent = Obstacle::Budget { tokens: 10, rest };
        let NextStep::Wait { reason, delay, failed } = next_step(spent, 100, 0.0) else { panic!("waits") };
        assert_eq!((delay, failed), (rest, false));
        assert!(reason.contains("00:00 UTC"), "{reason}");
    }

    #[test]
    fn a_database_that_is_away_brings_the_job_again_and_one_that_refuses_does_not_for_ever() {
        let away = || Obstacle::Store(StoreError::Conflict { what: "refused" });
        assert!(matches!(next_step(away(), 1, 0.5), NextStep::Wait { .. }));
        assert!(matches!(next_step(away(), MOST_REFUSALS, 0.5), NextStep::GiveUp { .. }));
    }
}
