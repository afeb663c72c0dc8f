//! Filters of memories.

use chrono::{DateTime, Utc};
use reflect_api::MemorySelection;

use super::merge::either;
use super::values::{Bound, boolean, bound, count, id, keywords, timestamp};
use super::words::{is_plain_name, split, text_of};
use crate::error::ApiError;

const FIELDS: &str = "status, origin, pinned, utility, credit, evidence, key, trace, same, lesson, superseded, \
                      since and until";

/// The conditions of the separate parameters together with those of `q`.
pub(crate) fn with_memory_filter(
    outside: MemorySelection,
    q: Option<&str>,
    now: DateTime<Utc>,
) -> Result<MemorySelection, ApiError> {
    let Some(q) = q else { return Ok(outside) };
    let read = parse(q, now)?;
    Ok(MemorySelection {
        ids: outside.ids,
        status: either("status", "status", read.status, outside.status)?,
        origin: either("origin", "origin", read.origin, outside.origin)?,
        pinned: either("pinned", "pinned", read.pinned, outside.pinned)?,
        utility_below: either("utility", "utility_below", read.utility_below, outside.utility_below)?,
        utility_above: either("utility", "utility_above", read.utility_above, outside.utility_above)?,
        credit_below: either("credit", "credit_below", read.credit_below, outside.credit_below)?,
        credit_above: either("credit", "credit_above", read.credit_above, outside.credit_above)?,
        evidence_at_least: either(
            "evidence",
            "evidence_at_least",
            read.evidence_at_least,
            outside.evidence_at_least,
        )?,
        author_key_id: either("key", "author_key_id", read.author_key_id, outside.author_key_id)?,
        source_trace_id: either("trace", "source_trace_id", read.source_trace_id, outside.source_trace_id)?,
        created_after: either("since", "created_after", read.created_after, outside.created_after)?,
        created_before: either("until", "created_before", read.created_before, outside.created_before)?,
        text: either("text", "text", read.text, outside.text)?,
        same_lesson_as: either("same", "same_lesson_as", read.same_lesson_as, outside.same_lesson_as)?,
        lesson_id: either("lesson", "lesson_id", read.lesson_id, outside.lesson_id)?,
        superseded: either("superseded", "superseded", read.superseded, outside.superseded)?,
    })
}

fn parse(q: &str, now: DateTime<Utc>) -> Result<MemorySelection, ApiError> {
    let words = split(q, is_plain_name, None)?;
    let mut selection = MemorySelection { text: text_of(&words), ..MemorySelection::default() };
    for word in &words {
        let Some(field) = word.field else { continue };
        match field {
            "status" => selection.status = Some(keywords(word)?),
            "origin" => selection.origin = Some(keywords(word)?),
            "pinned" => selection.pinned = Some(boolean(word)?),
            "utility" => match bound(word)? {
                Bound::Below(number) => selection.utility_below = Some(number),
                Bound::Above(number) => selection.utility_above = Some(number),
            },
            "credit" => match bound(word)? {
                Bound::Below(number) => selection.credit_below = Some(number),
                Bound::Above(number) => selection.credit_above = Some(number),
            },
            "evidence" => selection.evidence_at_least = Some(count(word)?),
            "key" => selection.author_key_id = Some(id(word)?),
            "trace" => selection.source_trace_id = Some(id(word)?),
            "same" => selection.same_lesson_as = Some(id(word)?),
            "lesson" => selection.lesson_id = Some(id(word)?),
            "superseded" => selection.superseded = Some(boolean(word)?),
            "since" => selection.created_after = Some(timestamp(word, now)?),
            "until" => selection.created_before = Some(timestamp(word, now)?),
            _ => return Err(word.unknown_field(FIELDS)),
        }
    }
    Ok(selection)
}

#[cfg(test)]
mod tests {
    use reflect_types::{LessonId, MemoryStatus};

    use super::*;

    #[test]
    fn lists_and_bounds_are_read() {
        let q = "status:active,disabled credit:<0.4 utility:>.6 utility:<0.9 evidence:3 pinned:false dates";
        let read = parse(q, DateTime::UNIX_EPOCH).unwrap();
        assert_eq!(read.status, Some(vec![MemoryStatus::Active, MemoryStatus::Disabled]));
        assert_eq!((read.credit_below, read.credit_above), (Some(0.4), None));
        assert_eq!((read.utility_below, read.utility_above), (Some(0.9), Some(0.6)));
        assert_eq!((read.evidence_at_least, read.pinned), (Some(3), Some(false)));
        assert_eq!(read.text.as_deref(), Some("dates"));
        let lesson = LessonId::generate();
        let read = parse(&format!("lesson:{lesson} superseded:true"), DateTime::UNIX_EPOCH).unwrap();
        assert_eq!((read.lesson_id, read.superseded), (Some(lesson), Some(true)));
    }

    #[test]
    fn an_error_says_what_is_allowed() {
        for (q, allowed) in [
            ("x credit:0.4", "<0.4"),
            ("x credit:<2", "0 to 1"),
            ("x status:active,odd", "active"),
            ("x evidence:-1", "such as 3"),
            ("x learning:failed", "origin"),
        ] {
            let error = parse(q, DateTime::UNIX_EPOCH).unwrap_err();
            assert!(error.message.contains(allowed), "{}", error.message);
            assert!(error.message.contains("at character 3 "), "{}", error.message);
        }
    }
}
