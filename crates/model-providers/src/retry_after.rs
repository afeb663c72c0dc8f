//! The wait before a retry, from the headers of a failed call.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The maximum wait. A longer value is reduced to this, because a wrong header must not block a project for days.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// The value of `retry-after-ms` or `retry-after`. `None` if it is missing or cannot be parsed.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    // A header of OpenAI and compatible servers, with a finer unit.
    let milliseconds = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok());
    let wait = match milliseconds {
        Some(milliseconds) => seconds(milliseconds / 1000.0)?,
        None => {
            let value = text(RETRY_AFTER.as_str())?;
            value.parse::<f64>().ok().map_or_else(|| until(value, now), seconds)?
        }
    };
    Some(wait.min(LONGEST))
}

fn seconds(value: f64) -> Option<Duration> {
    // A number that is too large becomes the maximum wait. A negative number or NaN is ignored.
    Duration::try_from_secs_f64(value.clamp(-1.0, LONGEST.as_secs_f64())).ok()
}

fn until(date: &str, now: SystemTime) -> Option<Duration> {
    let date = SystemTime::from(DateTime::parse_from_rfc2822(date).ok()?);
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: u64 = 784_111_777;

    fn read(name: &'static str, value: &str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_str(value).unwrap())]);
        retry_after(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(NOW))
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", " 1.5 "), Some(Duration::from_millis(1500)));
        assert_eq!(read("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
    }

    #[test]
    fn no_wait_is_longer_than_an_hour() {
        for value in ["86400", "1e300", "inf", "Sat, 06 Nov 2094 08:49:37 GMT"] {
            assert_eq!(read("retry-after", value), Some(LONGEST), "{value}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        for value in ["", "soon", "-3", "NaN"] {
            assert_eq!(read("retry-after", value), None, "{value}");
        }
        assert_eq!(read("date", "7"), None);
    }
}
