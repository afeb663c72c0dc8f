//! Filters of traces.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus};

use super::merge::either;
use super::values::{boolean, id, keyword, text, timestamp};
use super::words::{is_plain_name, split, text_of};
use crate::error::ApiError;

const FIELDS: &str = "status, result, learning, error, model, mem, since and until";

/// What a trace must match. `None` matches every trace.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TraceConditions {
    pub(crate) review_status: Option<ReviewStatus>,
    pub(crate) ingest_status: Option<IngestStatus>,
    pub(crate) result: Option<ReviewResult>,
    pub(crate) model: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) until: Option<DateTime<Utc>>,
    pub(crate) memory_id: Option<MemoryId>,
    pub(crate) has_error: Option<bool>,
}

/// The conditions of the separate parameters together with those of `q`.
pub(crate) fn with_trace_filter(
    outside: TraceConditions,
    q: Option<&str>,
    now: DateTime<Utc>,
) -> Result<TraceConditions, ApiError> {
    let Some(q) = q else { return Ok(outside) };
    let read = parse(q, now)?;
    Ok(TraceConditions {
        review_status: either("status", "review_status", read.review_status, outside.review_status)?,
        ingest_status: either("learning", "ingest_status", read.ingest_status, outside.ingest_status)?,
        result: either("result", "result", read.result, outside.result)?,
        model: either("model", "model", read.model, outside.model)?,
        text: either("text", "text", read.text, outside.text)?,
        since: either("since", "since", read.since, outside.since)?,
        until: either("until", "until", read.until, outside.until)?,
        memory_id: either("mem", "memory_id", read.memory_id, outside.memory_id)?,
        has_error: either("error", "has_error", read.has_error, outside.has_error)?,
    })
}

fn parse(q: &str, now: DateTime<Utc>) -> Result<TraceConditions, ApiError> {
    let words = split(q, is_plain_name, None)?;
    let mut conditions = TraceConditions { text: text_of(&words), ..TraceConditions::default() };
    for word in &words {
        let Some(field) = word.field else { continue };
        match field {
            "status" => conditions.review_status = Some(keyword(word)?),
            "result" => conditions.result = Some(keyword(word)?),
            "learning" => conditions.ingest_status = Some(keyword(word)?),
            "error" => conditions.has_error = Some(boolean(word)?),
            "model" => conditions.model = Some(text(word)?),
            "mem" => conditions.memory_id = Some(id(word)?),
            "since" => conditions.since = Some(timestamp(word, now)?),
            "until" => conditions.until = Some(timestamp(word, now)?),
            _ => return Err(word.unknown_field(FIELDS)),
        }
    }
    Ok(conditions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    #[test]
    fn every_field_is_read_and_the_rest_is_text() {
        let q = r#"status:pending result:fail error:true model:"gpt 5*" since:1d until:2026-11-01 http://a refund"#;
        let read = parse(q, now()).unwrap();
        assert_eq!(read.review_status, Some(ReviewStatus::Pending));
        assert_eq!((read.result, read.has_error), (Some(ReviewResult::Fail), Some(true)));
        assert_eq!(read.model.as_deref(), Some("gpt 5*"));
        assert_eq!(read.since.unwrap().timestamp(), 1_700_000_000 - 86_400);
        assert_eq!(read.until.unwrap().to_rfc3339(), "2026-11-01T00:00:00+00:00");
        assert_eq!(read.text.as_deref(), Some("http://a refund"));
        assert_eq!(parse(" ", now()).unwrap(), TraceConditions::default());
    }

    #[test]
    fn an_error_says_what_is_allowed() {
        for (q, allowed) in [
            ("colour:red", "status, result"),
            ("status:odd", "pending"),
            ("error:maybe", "true or false"),
            ("since:yesterday", "7d"),
            ("since:-4714-01-01", "7d"),
            ("until:+10000-01-01", "7d"),
            ("mem:1", "an id"),
            ("model:", "write the value"),
        ] {
            let error = parse(q, now()).unwrap_err();
            assert!(error.message.contains(allowed), "{}", error.message);
            assert!(error.message.contains("at character 1 ") && error.code == "invalid_filter");
        }
    }

    #[test]
    fn parameters_and_text_add_up_but_must_not_repeat_a_field() {
        let outside = || TraceConditions { has_error: Some(true), ..TraceConditions::default() };
        let both = with_trace_filter(outside(), Some("status:pending"), now()).unwrap();
        assert_eq!((both.has_error, both.review_status), (Some(true), Some(ReviewStatus::Pending)));
        let error = with_trace_filter(outside(), Some("error:false"), now()).unwrap_err();
        assert!(error.message.contains("has_error"), "{}", error.message);
        assert_eq!(with_trace_filter(outside(), None, now()).unwrap(), outside());
    }
}
