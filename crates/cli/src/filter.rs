//! The language of the console's filter bar, for the command line: `status:pending error:true since:7d refund`. A word
//! that is wrong is an error here, because nobody sees it turn red.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, Utc};
use reflect_api::ListMemories;
use reflect_sdk::TraceFilter;
use reflect_types::{MemoryOrigin, MemoryStatus, UnknownWord};

use crate::failure::Failure;

/// A field and its value, or a word of plain text.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    field: Option<String>,
    value: String,
}

/// Which runs a filter describes.
pub(crate) fn of_traces(text: &str, now: SystemTime) -> Result<TraceFilter, Failure> {
    let mut filter = TraceFilter::default();
    let mut plain = Vec::new();
    for Word { field, value } in words(text) {
        let Some(field) = field else {
            plain.push(value);
            continue;
        };
        match field.as_str() {
            "status" => filter.review_status = Some(word(&field, &value)?),
            "result" => filter.result = Some(word(&field, &value)?),
            "learning" => filter.ingest_status = Some(word(&field, &value)?),
            "error" => filter.has_error = Some(truth(&field, &value)?),
            "model" => filter.model = Some(value),
            "mem" => filter.memory_id = Some(id(&field, &value)?),
            "since" => filter.since = Some(moment(&value, now)?),
            "until" => filter.until = Some(moment(&value, now)?),
            _ => return Err(unknown(&field, "status, result, learning, error, model, mem, since and until")),
        }
    }
    filter.text = Some(plain.join(" ")).filter(|text| !text.is_empty());
    Ok(filter)
}

/// Which memories a filter describes.
pub(crate) fn of_memories(text: &str, now: SystemTime) -> Result<ListMemories, Failure> {
    let mut wish = ListMemories::default();
    let mut plain = Vec::new();
    for Word { field, value } in words(text) {
        let Some(field) = field else {
            plain.push(value);
            continue;
        };
        match field.as_str() {
            "status" => wish.status = Some(list_of::<MemoryStatus>(&field, value)?),
            "origin" => wish.origin = Some(list_of::<MemoryOrigin>(&field, value)?),
            "pinned" => wish.pinned = Some(truth(&field, &value)?),
            "utility" | "credit" => {
                let (below, above) = bounds(&field, &value)?;
                if field == "utility" {
                    (wish.utility_below, wish.utility_above) =
                        (below.or(wish.utility_below), above.or(wish.utility_above));
                } else {
                    (wish.credit_below, wish.credit_above) =
                        (below.or(wish.credit_below), above.or(wish.credit_above));
                }
            }
            "evidence" => {
                let least =
                    value.parse().map_err(|_| wrong(&field, "how many reviews at least, such as 3"))?;
                wish.evidence_at_least = Some(least);
            }
            "key" => wish.author_key_id = Some(id(&field, &value)?),
            "trace" => wish.source_trace_id = Some(id(&field, &value)?),
            "since" => wish.created_after = Some(moment(&value, now)?),
            "until" => wish.created_before = Some(moment(&value, now)?),
            _ => {
                let known = "status, origin, pinned, utility, credit, evidence, key, trace, since and until";
                return Err(unknown(&field, known));
            }
        }
    }
    wish.text = Some(plain.join(" ")).filter(|text| !text.is_empty());
    Ok(wish)
}

/// A moment: `7d` back from now, a date, or a time with its zone.
pub(crate) fn moment(value: &str, now: SystemTime) -> Result<DateTime<Utc>, Failure> {
    if let Some(back) = span(value) {
        return Ok((now - back).into());
    }
    let day =
        value.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|day| day.and_utc());
    let time = || DateTime::parse_from_rfc3339(value).ok().map(|time| time.to_utc());
    day.or_else(time).ok_or_else(|| {
        Failure::usage(format!("{value:?} is no moment; such as 2h, 7d, 2026-11-01 or 2026-11-01T12:00:00Z"))
    })
}

/// A stretch of time: a number and `s`, `m`, `h`, `d` or `w`.
pub(crate) fn span(text: &str) -> Option<Duration> {
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

/// Words between spaces; quotation marks keep them together.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let name =
            rest.find(|character: char| !(character.is_ascii_lowercase() || character == '_')).unwrap_or(0);
        let colon = name > 0 && rest[name..].starts_with(':');
        // An address has a colon too.
        let (field, after) = match colon && !rest[name + 1..].starts_with("//") {
            true => (Some(rest[..name].to_owned()), &rest[name + 1..]),
            false => (None, rest),
        };
        let (value, left) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((value, left)) => (value, left),
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        words.push(Word { field, value: value.to_owned() });
        rest = left.trim_start();
    }
    words
}

fn word<T: std::str::FromStr<Err = UnknownWord>>(field: &str, value: &str) -> Result<T, Failure> {
    value.parse().map_err(|error| Failure::usage(format!("{field}: {error}")))
}

fn list_of<T: std::str::FromStr<Err = UnknownWord>>(field: &str, value: String) -> Result<String, Failure> {
    for part in value.split(',') {
        word::<T>(field, part)?;
    }
    Ok(value)
}

fn truth(field: &str, value: &str) -> Result<bool, Failure> {
    value.parse().map_err(|_| wrong(field, "true or false"))
}

fn id<T: std::str::FromStr>(field: &str, value: &str) -> Result<T, Failure> {
    value.parse().map_err(|_| wrong(field, "an id"))
}

fn bounds(field: &str, value: &str) -> Result<(Option<f64>, Option<f64>), Failure> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    let below = value.strip_prefix('<').and_then(number);
    let above = value.strip_prefix('>').and_then(number);
    if below.is_none() && above.is_none() {
        return Err(wrong(field, "such as <0.4 or >0.6"));
    }
    Ok((below, above))
}

fn wrong(field: &str, takes: &str) -> Failure {
    Failure::usage(format!("{field} takes {takes}"))
}

fn unknown(field: &str, known: &str) -> Failure {
    Failure::usage(format!("there is no field {field:?}; there are {known}"))
        .fix("quotation marks make text of it")
}

#[cfg(test)]
mod tests {
    use reflect_types::{ReviewResult, ReviewStatus};

    use super::*;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
    }

    #[test]
    fn fields_and_words_are_told_apart() {
        let filter =
            r#"status:pending result:fail error:true model:"gpt 5*" since:1d http://a refund "two words""#;
        let filter = of_traces(filter, now()).unwrap();

        assert_eq!(filter.review_status, Some(ReviewStatus::Pending));
        assert_eq!((filter.result, filter.has_error), (Some(ReviewResult::Fail), Some(true)));
        assert_eq!(filter.model.as_deref(), Some("gpt 5*"));
        assert_eq!(filter.since.unwrap().timestamp(), 1_700_000_000 - 86_400);
        assert_eq!(filter.text.as_deref(), Some("http://a refund two words"));
    }

    #[test]
    fn memories_are_found_by_what_they_are_worth() {
        let wish =
            of_memories("status:active,disabled credit:<0.4 utility:>0.6 evidence:3 dates", now()).unwrap();

        assert_eq!(wish.status.as_deref(), Some("active,disabled"));
        assert_eq!((wish.credit_below, wish.utility_above), (Some(0.4), Some(0.6)));
        assert_eq!((wish.evidence_at_least, wish.text.as_deref()), (Some(3), Some("dates")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (filter, names) in [
            ("colour:red", "status, result"),
            ("status:odd", "status"),
            ("error:maybe", "true or false"),
            ("since:yesterday", "7d"),
        ] {
            let error = of_traces(filter, now()).unwrap_err();
            assert!(error.message.contains(names) && error.exit_code() == 2, "{error}");
        }
        assert!(of_memories("credit:0.4", now()).is_err());
    }

    #[test]
    fn spans_are_numbers_with_a_unit() {
        assert_eq!(span("2h"), Some(Duration::from_secs(7200)));
        for wrong in ["", "h", "2", "2y", "-1d", "é", "1é"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
    }
}
