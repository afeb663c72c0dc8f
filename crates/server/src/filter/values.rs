//! Reads the values of filter fields.

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use reflect_types::UnknownWord;

use super::words::Word;
use crate::error::ApiError;

/// A word from a fixed list.
pub(super) fn keyword<T: FromStr<Err = UnknownWord>>(word: &Word<'_>) -> Result<T, ApiError> {
    word.value.parse().map_err(|error: UnknownWord| word.error(&format!("is not valid: {error}")))
}

/// Words from a fixed list, separated by commas.
pub(super) fn keywords<T: FromStr<Err = UnknownWord>>(word: &Word<'_>) -> Result<Vec<T>, ApiError> {
    let read =
        |part: &str| part.parse().map_err(|error: UnknownWord| word.error(&format!("is not valid: {error}")));
    word.value.split(',').map(read).collect()
}

pub(super) fn boolean(word: &Word<'_>) -> Result<bool, ApiError> {
    word.value.parse().map_err(|_| word.error("is not valid; use true or false"))
}

pub(super) fn id<T: FromStr>(word: &Word<'_>) -> Result<T, ApiError> {
    let example = "is not valid; use an id such as 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071";
    word.value.parse().map_err(|_| word.error(example))
}

/// Any text that is not empty.
pub(super) fn text(word: &Word<'_>) -> Result<String, ApiError> {
    if word.value.is_empty() {
        return Err(word.error("has no value; write the value after the colon"));
    }
    Ok(word.value.to_owned())
}

/// A number of reviews.
pub(super) fn count(word: &Word<'_>) -> Result<i32, ApiError> {
    let count = word.value.parse().ok().filter(|count| (0..=999_999).contains(count));
    count.ok_or_else(|| word.error("is not valid; use a number such as 3"))
}

/// An exclusive bound of a number from 0 to 1.
pub(super) enum Bound {
    Below(f64),
    Above(f64),
}

pub(super) fn bound(word: &Word<'_>) -> Result<Bound, ApiError> {
    let number = |text: &str| text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    let below = word.value.strip_prefix('<').and_then(number).map(Bound::Below);
    let above = || word.value.strip_prefix('>').and_then(number).map(Bound::Above);
    below
        .or_else(above)
        .ok_or_else(|| word.error("is not valid; use < or > and a number from 0 to 1, such as <0.4 or >0.6"))
}

/// A time: `7d` before now, a date, or a time with its zone.
pub(super) fn timestamp(word: &Word<'_>, now: DateTime<Utc>) -> Result<DateTime<Utc>, ApiError> {
    let ago = || duration(word.value).map(|duration| now - duration);
    let date = || word.value.parse::<NaiveDate>().ok().map(|date| date.and_time(NaiveTime::MIN).and_utc());
    let time = || DateTime::parse_from_rfc3339(word.value).ok().map(|time| time.to_utc());
    // The parser of dates takes years that a database cannot hold.
    let read = ago().or_else(date).or_else(time).filter(|time| (0..=9999).contains(&time.year()));
    read.ok_or_else(|| {
        word.error("is not a valid time; use for example 2h, 7d, 2026-11-01 or 2026-11-01T12:00:00Z")
    })
}

/// A number of up to four digits and `s`, `m`, `h`, `d` or `w`.
fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    if number.is_empty() || number.len() > 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Duration::from_secs(number.parse::<u64>().ok()? * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_with_a_unit() {
        assert_eq!(duration("2h"), Some(Duration::from_secs(7200)));
        for wrong in ["", "h", "2", "2y", "-1d", "+1d", "12345s", "é", "1é"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
