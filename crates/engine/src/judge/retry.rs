//! What to do when a judge does not answer. A pure rule.

use std::time::Duration;

use reflect_model::Remedy;

/// After this many refusals a retry does not help.
const MOST_REFUSALS: i16 = 3;
const AFTER_REFUSAL: Duration = Duration::from_secs(10 * 60);
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(300);
const SHORTEST_DELAY: Duration = Duration::from_millis(100);

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Retry after a delay.
    Wait(Duration),
    /// Store no verdict and leave the run to people.
    Skip,
}

/// `failures` includes this one; `chance` is between 0 and 1. Retries for an unavailable provider never end: no caller
/// waits for the judge, and people can review the run meanwhile.
pub(super) fn after(remedy: Remedy, failures: i16, chance: f64) -> Next {
    match remedy {
        Remedy::RetryLater { after } => {
            let doublings = u32::try_from(failures - 1).unwrap_or(0).min(16);
            let delay = (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY).mul_f64(chance);
            Next::Wait(delay.max(after.unwrap_or_default()).max(SHORTEST_DELAY))
        }
        Remedy::DoNotRetry | Remedy::Unreadable if failures < MOST_REFUSALS => {
            Next::Wait(AFTER_REFUSAL.mul_f64(0.5 + chance))
        }
        Remedy::DoNotRetry | Remedy::Unreadable => Next::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_is_away_is_waited_for_without_end() {
        let away = |failures| after(Remedy::RetryLater { after: None }, failures, 1.0);
        assert_eq!(away(1), Next::Wait(Duration::from_secs(1)));
        assert_eq!(away(4), Next::Wait(Duration::from_secs(8)));
        assert_eq!(away(i16::MAX), Next::Wait(LONGEST_DELAY));
        let minute = Duration::from_secs(60);
        assert_eq!(after(Remedy::RetryLater { after: Some(minute) }, 1, 0.0), Next::Wait(minute));
    }

    #[test]
    fn what_is_refused_is_tried_some_times_and_then_left_to_people() {
        for remedy in [Remedy::DoNotRetry, Remedy::Unreadable] {
            assert_eq!(after(remedy, 1, 0.5), Next::Wait(AFTER_REFUSAL));
            assert!(matches!(after(remedy, 2, 0.0), Next::Wait(_)));
            assert_eq!(after(remedy, 3, 0.5), Next::Skip);
        }
    }
}
