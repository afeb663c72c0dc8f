//! Decides whether to retry and how long to wait. It sends nothing and does not sleep.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use reqwest::header::HeaderMap;
use uuid::Uuid;

use super::{Answer, Unreachable};

const FIRST_WAIT: Duration = Duration::from_millis(500);
const MAX_WAIT: Duration = Duration::from_secs(8);
/// A longer `Retry-After` is reduced to this.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The timeout and the retries of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallPolicy {
    /// The timeout of a call, including all retries.
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
}

/// The result of one request.
pub(crate) type Outcome = Result<Answer, Unreachable>;

/// Whether the request may be sent again after this result.
pub(super) fn may_retry(repeatable: bool, outcome: &Outcome) -> bool {
    match outcome {
        Ok(answer) => repeatable && matches!(answer.status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
        Err(unreachable) => repeatable || !unreachable.sent,
    }
}

/// The wait before retry number `attempt` (1 is the first). `None` for no retry.
///
/// `Retry-After` of the server takes precedence. There is no retry if it would start after the timeout of the caller.
pub(super) fn retry_wait(
    policy: &CallPolicy,
    repeatable: bool,
    attempt: u32,
    elapsed: Duration,
    outcome: &Outcome,
    jitter: f64,
) -> Option<Duration> {
    if attempt > policy.max_retries || !may_retry(repeatable, outcome) {
        return None;
    }
    let requested = outcome.as_ref().ok().and_then(|answer| retry_after(&answer.headers, SystemTime::now()));
    let wait =
        requested.map_or_else(|| backoff(attempt - 1, jitter), |requested| requested.min(MAX_RETRY_AFTER));
    (elapsed + wait < policy.timeout).then_some(wait)
}

/// Exponential backoff with full jitter, so clients that failed at the same time do not retry at the same time.
pub(crate) fn backoff(failures: u32, jitter: f64) -> Duration {
    let bound = FIRST_WAIT.saturating_mul(1 << failures.min(16)).min(MAX_WAIT);
    bound.mul_f64(jitter)
}

/// A random number from 0 to 1, from the random bits of a new UUID.
pub(crate) fn jitter() -> f64 {
    let [.., a, b, c, d] = Uuid::now_v7().into_bytes();
    f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
}

/// The value of `Retry-After-Ms` or `Retry-After`. `None` if absent or invalid.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok());
    if let Some(milliseconds) = milliseconds {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = SystemTime::from(DateTime::parse_from_rfc2822(value).ok()?);
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    const MANNERS: CallPolicy = CallPolicy { timeout: Duration::from_secs(30), max_retries: 2 };

    fn answered(status: u16, headers: &[(&'static str, &str)]) -> Outcome {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        Ok(Answer { status, headers: map, body: bytes::Bytes::new() })
    }

    fn lost(sent: bool) -> Outcome {
        Err(Unreachable { reason: String::new(), sent, timed_out: false })
    }

    #[test]
    fn what_may_pass_is_repeated_and_what_will_not_is_not() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            assert!(may_retry(true, &answered(status, &[])), "{status}");
        }
        for status in [200, 301, 400, 401, 403, 404, 409, 413, 422, 501] {
            assert!(!may_retry(true, &answered(status, &[])), "{status}");
        }
    }

    #[test]
    fn what_must_not_happen_twice_is_repeated_only_if_it_never_arrived() {
        assert!(!may_retry(false, &answered(503, &[])));
        assert!(!may_retry(false, &lost(true)));
        assert!(may_retry(false, &lost(false)));
        assert!(may_retry(true, &lost(true)));
    }

    #[test]
    fn waits_are_by_lot_below_a_bound_that_doubles_up_to_eight_seconds() {
        let bounds: Vec<u128> = (0..7).map(|failures| backoff(failures, 1.0).as_millis()).collect();
        assert_eq!(bounds, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(backoff(3, 0.5), Duration::from_secs(2));
        assert_eq!(backoff(u32::MAX, 0.0), Duration::ZERO);
        assert!((0..1000).map(|_| jitter()).all(|jitter| (0.0..=1.0).contains(&jitter)));
    }

    #[test]
    fn lots_differ() {
        let lots: Vec<f64> = (0..100).map(|_| jitter()).collect();
        assert!(
            lots.iter().any(|jitter| *jitter < 0.4) && lots.iter().any(|jitter| *jitter > 0.6),
            "{lots:?}"
        );
    }

    #[test]
    fn a_call_is_repeated_as_often_as_its_manners_say_and_only_in_its_time() {
        let again = |attempt, elapsed, outcome: &Outcome| {
            retry_wait(&MANNERS, true, attempt, Duration::from_secs(elapsed), outcome, 1.0)
        };
        assert_eq!(again(1, 0, &lost(true)), Some(Duration::from_millis(500)));
        assert_eq!(again(2, 0, &lost(true)), Some(Duration::from_secs(1)));
        assert_eq!(again(3, 0, &lost(true)), None);
        assert_eq!(again(1, 30, &lost(true)), None);
        let busy = answered(503, &[("retry-after", "20")]);
        assert_eq!(again(1, 5, &busy), Some(Duration::from_secs(20)));
        assert_eq!(again(1, 10, &busy), None);
    }

    #[test]
    fn what_the_server_asks_for_is_honoured_up_to_a_minute() {
        let patient = CallPolicy { timeout: Duration::from_secs(3600), max_retries: 1 };
        let wait = |value| {
            let busy = answered(429, &[("retry-after", value)]);
            retry_wait(&patient, true, 1, Duration::ZERO, &busy, 1.0)
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("0"), Some(Duration::ZERO));
        assert_eq!(wait("900"), Some(Duration::from_secs(60)));
        assert_eq!(wait("soon"), Some(Duration::from_millis(500)));
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let read = |name, value| retry_after(&answered(503, &[(name, value)]).unwrap().headers, now);
        assert_eq!(read("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(read("retry-after", "1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        for value in ["-1", "NaN", "1e300", ""] {
            assert_eq!(read("retry-after", value), None, "{value}");
        }
    }
}
