//! Retries of deliveries, and the health of an endpoint.

use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// The delays after the first, second, … failed attempt. The last one is repeated.
const DELAYS: [Duration; 10] = [
    SECOND,
    SECOND.saturating_mul(5),
    SECOND.saturating_mul(15),
    MINUTE,
    MINUTE.saturating_mul(5),
    MINUTE.saturating_mul(20),
    HOUR,
    HOUR.saturating_mul(3),
    HOUR.saturating_mul(6),
    HOUR.saturating_mul(12),
];
/// How long a delivery is tried, from its first attempt. The last one is at the end of this time.
const TRIED_FOR: Duration = HOUR.saturating_mul(24);
/// Less time before the end is not worth another attempt.
const LAST_DELAY: Duration = HOUR;
/// The most that a receiver can ask for with `Retry-After`.
const LONGEST_ASKED: Duration = HOUR;

/// After this many failed rounds in a row an endpoint is paused between rounds.
const FAILURES_BEFORE_PAUSE: u32 = 5;
const LONGEST_PAUSE: Duration = MINUTE.saturating_mul(10);
/// An endpoint is disabled if nothing succeeded for this long and in this many rounds.
const DISABLED_AFTER: Duration = HOUR.saturating_mul(72);
const DISABLED_AFTER_FAILURES: u32 = 20;

/// A failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedAttempt {
    /// Its number, from 1.
    pub number: u32,
    /// How long ago the first attempt was.
    pub age: Duration,
    /// How long the receiver asked to wait.
    pub asked: Option<Duration>,
}

/// The delay before the next attempt. `None`: the delivery is given up. `chance` is between 0 and 1, so that receivers do
/// not get all retries at one moment.
///
/// ```
/// use std::time::Duration;
/// use reflect_rules::webhooks::{FailedAttempt, retry_after};
///
/// let first = FailedAttempt { number: 1, age: Duration::from_secs(2), asked: None };
/// assert_eq!(retry_after(first, 0.5), Some(Duration::from_secs(1)));
/// let last = FailedAttempt { number: 11, age: Duration::from_secs(24 * 60 * 60), asked: None };
/// assert_eq!(retry_after(last, 0.5), None);
/// ```
pub fn retry_after(failed: FailedAttempt, chance: f64) -> Option<Duration> {
    let place = usize::try_from(failed.number.saturating_sub(1)).unwrap_or(usize::MAX);
    let delay = DELAYS[place.min(DELAYS.len() - 1)];
    let delay = jittered(delay, chance).max(failed.asked.unwrap_or_default().min(LONGEST_ASKED));
    let left = TRIED_FOR.checked_sub(failed.age)?;
    match delay <= left {
        true => Some(delay),
        false => (left >= LAST_DELAY).then_some(left),
    }
}

/// How long an endpoint is paused after this many failed rounds in a row. `None`: it is not paused.
pub fn pause(failures: u32, chance: f64) -> Option<Duration> {
    let doublings = failures.checked_sub(FAILURES_BEFORE_PAUSE)?;
    Some(jittered((SECOND * 2_u32.pow(doublings.min(16))).min(LONGEST_PAUSE), chance))
}

/// Why an endpoint is disabled, if it is: after its last answer, after this many failed rounds in a row, and after this time
/// without a success.
pub fn disable_reason(status: Option<u16>, failures: u32, failing_for: Duration) -> Option<String> {
    if status == Some(410) {
        return Some("the receiver answered 410 Gone".to_owned());
    }
    let is_persistent = failures >= DISABLED_AFTER_FAILURES && failing_for >= DISABLED_AFTER;
    let hours = failing_for.as_secs() / HOUR.as_secs();
    is_persistent.then(|| format!("every attempt has failed for {hours} hours"))
}

fn jittered(delay: Duration, chance: f64) -> Duration {
    delay.mul_f64(0.9 + 0.2 * chance.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn failed(number: u32, age: Duration) -> FailedAttempt {
        FailedAttempt { number, age, asked: None }
    }

    /// The ages of a delivery at its attempts, if all fail.
    fn attempts(chance: f64) -> Vec<Duration> {
        let mut ages = vec![Duration::ZERO];
        while let Some(delay) = retry_after(failed(ages.len() as u32, ages[ages.len() - 1]), chance) {
            ages.push(ages[ages.len() - 1] + delay);
        }
        ages
    }

    #[test]
    fn a_delivery_is_tried_eleven_times_within_a_day() {
        for chance in [0.0, 0.3, 0.5, 1.0] {
            let ages = attempts(chance);
            assert!((11..=12).contains(&ages.len()), "{chance}: {ages:?}");
            assert!(
                ages[ages.len() - 1] <= DAY && ages[ages.len() - 1] > DAY.mul_f64(0.8),
                "{chance}: {ages:?}"
            );
        }
    }

    #[test]
    fn a_receiver_can_ask_for_an_hour_and_no_more() {
        let asks = |seconds| {
            let asked = Some(Duration::from_secs(seconds));
            retry_after(FailedAttempt { asked, ..failed(1, Duration::ZERO) }, 0.5)
        };
        assert_eq!(asks(0), Some(SECOND));
        assert_eq!(asks(120), Some(Duration::from_secs(120)));
        assert_eq!(asks(1_000_000), Some(HOUR));
    }

    #[test]
    fn an_old_delivery_that_fails_is_given_up() {
        assert_eq!(retry_after(failed(1, DAY * 3), 0.5), None);
        assert_eq!(retry_after(failed(2, DAY), 0.5), None);
        assert_eq!(retry_after(failed(10, DAY - HOUR * 5), 0.5), Some(HOUR * 5));
    }

    #[test]
    fn the_pause_of_an_endpoint_grows_to_ten_minutes() {
        assert_eq!(pause(4, 0.5), None);
        assert_eq!(pause(5, 0.5), Some(SECOND));
        assert_eq!(pause(9, 0.5), Some(SECOND * 16));
        assert_eq!(pause(u32::MAX, 0.5), Some(LONGEST_PAUSE));
    }

    #[test]
    fn an_endpoint_is_disabled_after_three_days_or_when_it_is_gone() {
        let hours = |count: u32| HOUR * count;
        assert_eq!(disable_reason(Some(500), 400, hours(71)), None);
        assert_eq!(disable_reason(Some(500), 19, hours(100)), None);
        assert_eq!(disable_reason(None, 20, hours(72)).unwrap(), "every attempt has failed for 72 hours");
        assert!(disable_reason(Some(410), 1, Duration::ZERO).unwrap().contains("410"));
    }

    proptest! {
        #[test]
        fn no_attempt_is_later_than_a_day(number in 1_u32..1000, age in 0_u64..200_000, asked in 0_u64..10_000, chance in 0.0_f64..=1.0) {
            let age = Duration::from_secs(age);
            let failed = FailedAttempt { number, age, asked: Some(Duration::from_secs(asked)) };
            if let Some(delay) = retry_after(failed, chance) {
                prop_assert!(age + delay <= DAY);
            }
        }
    }
}
