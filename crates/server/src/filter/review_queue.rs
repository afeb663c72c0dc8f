//! Filters of the review queue.

use reflect_api::RunFilter;
use serde_json::{Map, Value};

use super::merge::either;
use super::values::{boolean, text};
use super::words::{is_plain_name, split};
use crate::error::ApiError;

const FIELDS: &str = "task, model, signal, judged, error:true, status:pending and metadata.NAME";
const METADATA: &str = "metadata.";
const TOOL_ERROR: &str = "tool_error";

/// The conditions of the separate parameters together with those of `q`.
pub(crate) fn with_queue_filter(outside: RunFilter, q: Option<&str>) -> Result<RunFilter, ApiError> {
    let Some(q) = q else { return Ok(outside) };
    let read = parse(q)?;
    Ok(RunFilter {
        model: either("model", "filter.model", read.model, outside.model)?,
        metadata: either("metadata", "filter.metadata", read.metadata, outside.metadata)?,
        task: either("task", "filter.task", read.task, outside.task)?,
        signal: either("signal", "filter.signal", read.signal, outside.signal)?,
        judged: either("judged", "filter.judged", read.judged, outside.judged)?,
    })
}

fn is_name(name: &str) -> bool {
    is_plain_name(name) || is_metadata(name)
}

fn is_metadata(name: &str) -> bool {
    let key = name.strip_prefix(METADATA);
    key.is_some_and(|key| {
        !key.is_empty() && !key.contains(|letter: char| letter.is_whitespace() || letter == '"')
    })
}

/// Quotation marks around a whole word keep these fields, as in `"task:two words"`.
fn is_known(name: &str) -> bool {
    matches!(name, "task" | "model" | "signal" | "judged" | "error" | "status") || is_metadata(name)
}

fn parse(q: &str) -> Result<RunFilter, ApiError> {
    let mut filter = RunFilter::default();
    let mut task = Vec::new();
    for word in &split(q, is_name, Some(is_known))? {
        match word.field {
            None => task.push(word.value.to_owned()),
            Some("task") => task.push(text(word)?),
            Some("model") => filter.model = Some(text(word)?),
            Some("signal") => filter.signal = Some(text(word)?),
            Some("judged") => filter.judged = Some(boolean(word)?),
            // The queue holds only pending traces.
            Some("status") if word.value == "pending" => {}
            Some("status") => {
                return Err(word.error("is not valid; the review queue has only status:pending"));
            }
            Some("error") if boolean(word)? => filter.signal = Some(TOOL_ERROR.to_owned()),
            Some("error") => return Err(word.error("is not valid; the review queue has only error:true")),
            Some(field) => {
                let key = field.strip_prefix(METADATA).ok_or_else(|| word.unknown_field(FIELDS))?;
                let value = Value::String(word.value.to_owned());
                filter.metadata.get_or_insert_with(Map::new).insert(key.to_owned(), value);
            }
        }
    }
    filter.task = Some(task.join(" ")).filter(|task| !task.is_empty());
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read_and_the_rest_is_searched_for_in_the_task() {
        let q = r#"status:pending model:m1 "task:two words" error:true judged:false metadata.team:"a b" x"#;
        let read = parse(q).unwrap();
        assert_eq!((read.model.as_deref(), read.task.as_deref()), (Some("m1"), Some("two words x")));
        assert_eq!((read.signal.as_deref(), read.judged), (Some(TOOL_ERROR), Some(false)));
        assert_eq!(read.metadata.unwrap()["team"], "a b");
        assert_eq!(parse("").unwrap(), RunFilter::default());
        assert_eq!(parse(r#"task:"two words""#).unwrap().task.as_deref(), Some("two words"));
        assert_eq!(parse(r#""metadata.team:a b""#).unwrap().metadata.unwrap()["team"], "a b");
    }

    #[test]
    fn an_error_says_what_is_allowed() {
        for (q, allowed) in [
            ("colour:red", "signal"),
            ("judged:maybe", "true or false"),
            ("status:reviewed", "status:pending"),
            ("error:false", "error:true"),
            ("task:\"open", "not closed"),
        ] {
            let error = parse(q).unwrap_err();
            assert!(error.message.contains(allowed), "{}", error.message);
        }
    }
}
