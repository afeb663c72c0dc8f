//! Parses points in time from the command line.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Datelike, NaiveDate, Utc};

use crate::failure::Failure;

/// Parses a time: `7d` back from now, a date (UTC), or RFC 3339.
pub(crate) fn parse_timestamp(value: &str, now: SystemTime) -> Result<DateTime<Utc>, Failure> {
    if let Some(back) = parse_span(value) {
        return Ok((now - back).into());
    }
    let day =
        value.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|day| day.and_utc());
    let time = || DateTime::parse_from_rfc3339(value).ok().map(|time| time.to_utc());
    // The parser of dates takes years that a database cannot hold.
    day.or_else(time).filter(|time| (0..=9999).contains(&time.year())).ok_or_else(|| {
        Failure::usage(format!("{value:?} is not a valid timestamp"))
            .fix("write it like 2h, 7d, 2026-11-01 or 2026-11-01T12:00:00Z")
    })
}

/// Parses a number followed by `s`, `m`, `h`, `d` or `w`.
fn parse_span(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number: u32 = number.parse().ok().filter(|number| *number <= 9999)?;
    Some(Duration::from_secs(u64::from(number) * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_a_span_a_date_or_a_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let seconds = |text| parse_timestamp(text, now).map(|time| time.timestamp()).ok();

        assert_eq!(seconds("1d"), Some(1_700_000_000 - 86_400));
        assert_eq!(seconds("2023-11-14"), Some(1_699_920_000));
        assert_eq!(seconds("2023-11-14T01:00:00+01:00"), Some(1_699_920_000));
        for wrong in ["yesterday", "+10000-01-01", "-4714-01-01"] {
            assert_eq!(parse_timestamp(wrong, now).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }

    #[test]
    fn spans_are_numbers_with_a_unit() {
        assert_eq!(parse_span("2h"), Some(Duration::from_secs(7200)));
        for wrong in ["", "h", "2", "2y", "-1d", "é", "1é"] {
            assert_eq!(parse_span(wrong), None, "{wrong}");
        }
    }
}
