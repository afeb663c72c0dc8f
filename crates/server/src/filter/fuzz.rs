//! Fuzz targets: filters of traces, memories and the review queue.

use chrono::{DateTime, Utc};
use reflect_api::{MemorySelection, RunFilter};
use reflect_fuzz::{CaseSource, FuzzTarget};

use super::{TraceConditions, with_memory_filter, with_queue_filter, with_trace_filter};
use crate::error::ApiError;

const WORDS: &[&str] = &[
    "status:",
    "result:",
    "learning:",
    "error:",
    "model:",
    "mem:",
    "since:",
    "until:",
    "origin:",
    "pinned:",
    "utility:",
    "credit:",
    "evidence:",
    "key:",
    "trace:",
    "same:",
    "lesson:",
    "superseded:",
    "task:",
    "signal:",
    "judged:",
    "metadata.",
    "metadata.team:",
    "pending",
    "reviewed",
    "pass",
    "fail",
    "true",
    "false",
    "active",
    "disabled",
    "quarantined",
    "queued",
    "completed",
    "tool_error",
    "\"",
    "\"task:",
    "<",
    ">",
    "0.5",
    "7d",
    "9999w",
    "2026-11-01",
    "-4713-11-24",
    "+262142-12-31",
    "2026-11-01T12:00:00Z",
    "0000-01-01T00:00:00Z",
    "http://a",
    ",",
];
/// In bytes.
const LONGEST_MESSAGE: usize = 4 * 4_000 + 3;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).expect("a time")
}

#[test]
fn a_filter_is_conditions_that_the_database_can_hold_or_an_error_with_its_place() {
    FuzzTarget::new("filters").words(WORDS).run(generated, |input| {
        let Ok(q) = str::from_utf8(input) else { return };

        if let Some(read) = checked(q, with_trace_filter(TraceConditions::default(), Some(q), now())) {
            check_times(&[read.since, read.until]);
            check_text(q, read.text.as_deref());
            if let Some(printed) = print(&read) {
                let again = with_trace_filter(TraceConditions::default(), Some(&printed), now());
                assert_eq!(again.ok(), Some(read), "printed as {printed:?}");
            }
        }
        if let Some(read) = checked(q, with_memory_filter(MemorySelection::default(), Some(q), now())) {
            check_times(&[read.created_after, read.created_before]);
            check_text(q, read.text.as_deref());
            for bound in [read.utility_below, read.utility_above, read.credit_below, read.credit_above] {
                assert!(bound.is_none_or(|bound| (0.0..=1.0).contains(&bound)), "{bound:?}");
            }
            assert!(read.evidence_at_least.is_none_or(|count| count >= 0));
        }
        if let Some(read) = checked(q, with_queue_filter(RunFilter::default(), Some(q))) {
            check_text(q, read.task.as_deref());
            assert!(read.metadata.is_none_or(|metadata| !metadata.contains_key("")));
        }
    });
}

/// The conditions, or nothing if the filter is refused for a reason with a place in it.
fn checked<T>(q: &str, read: Result<T, ApiError>) -> Option<T> {
    let error = match read {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    assert_eq!(error.code, "invalid_filter");
    assert!(error.message.len() <= LONGEST_MESSAGE, "a message of {} bytes", error.message.len());
    let characters = q.chars().count();
    match error.position {
        Some(position) => {
            assert!(position.start <= position.end && position.end <= characters, "{position:?}")
        }
        None => assert!(characters > 1000, "no place: {}", error.message),
    }
    None
}

/// Postgres has the years from -4713 to 294276; years of other programs have four digits.
fn check_times(times: &[Option<DateTime<Utc>>]) {
    for time in times.iter().flatten() {
        let year = time.format("%Y").to_string();
        assert!(year.len() == 4 && !year.starts_with('-'), "the year {year}");
    }
}

/// What is searched for is a part of the filter, and never longer.
fn check_text(q: &str, text: Option<&str>) {
    let Some(text) = text else { return };
    assert!(!text.is_empty() && text.len() <= q.len(), "{text:?} in {q:?}");
}

/// The conditions as a filter. `None` if a text cannot be written in quotation marks.
fn print(conditions: &TraceConditions) -> Option<String> {
    let quoted = |text: &String| (!text.contains('"')).then(|| format!("\"{text}\""));
    let mut words = Vec::new();
    let mut add =
        |field: &str, value: Option<String>| words.extend(value.map(|value| format!("{field}:{value}")));
    add("status", conditions.review_status.map(|status| status.as_str().to_owned()));
    add("result", conditions.result.map(|result| result.as_str().to_owned()));
    add("learning", conditions.ingest_status.map(|status| status.as_str().to_owned()));
    add("error", conditions.has_error.map(|error| error.to_string()));
    add("mem", conditions.memory_id.map(|id| id.to_string()));
    add("since", conditions.since.map(|time| time.to_rfc3339()));
    add("until", conditions.until.map(|time| time.to_rfc3339()));
    if let Some(model) = &conditions.model {
        add("model", Some(quoted(model)?));
    }
    if let Some(text) = &conditions.text {
        words.push(quoted(text)?);
    }
    // A filter that is longer than the longest is refused.
    Some(words.join(" ")).filter(|printed| printed.chars().count() <= 1000)
}

fn generated(source: &mut CaseSource<'_>) -> String {
    let mut words = Vec::new();
    for _ in 0..=source.size(6) {
        let field = source.word().to_owned();
        let value = match source.below(8) {
            0 => source.time(),
            1 => source.id(),
            2 => source.number(),
            3 => format!("\"{}\"", source.text(4)),
            4 => source.text(4),
            5 => format!("{}{}", source.pick_text(&["<", ">", "<=", ""]), source.number()),
            _ => source.word().to_owned(),
        };
        words.push(format!("{field}{value}"));
    }
    match source.once_in(50) {
        true => source.repeated(&words.join(" "), 3000),
        false => words.join(source.pick_text(&[" ", "  ", "\u{a0}", "\n"])),
    }
}
