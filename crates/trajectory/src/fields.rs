//! Takes a message apart field by field. What remains is known, and nothing is dropped.

use chrono::{DateTime, Datelike, Utc};
use reflect_types::PartForm;
use serde_json::{Map, Value};

use crate::step::{OTHER_LABEL, StepPart};

const TIMES: [&str; 6] = ["timestamp", "created_at", "createdAt", "at", "time", "ts"];
const DURATIONS: [&str; 3] = ["duration_ms", "latency_ms", "elapsed_ms"];
const USAGES: [&str; 3] = ["usage", "usage_metadata", "token_usage"];
/// A larger number is milliseconds: as seconds it would be the year 5138.
const SECONDS_END: f64 = 1e11;
/// The year 10000 in milliseconds: clients cannot read a year of five digits.
const LAST_MS: f64 = 253_402_300_800_000.0;

pub(crate) type Object = Map<String, Value>;

/// Takes the first of these fields that is not null.
pub(crate) fn take(object: &mut Object, names: &[&str]) -> Option<Value> {
    let name = names.iter().find(|name| object.get(**name).is_some_and(|value| !value.is_null()))?;
    object.remove(*name)
}

/// Takes the first of these fields that is a text and not empty.
pub(crate) fn take_text(object: &mut Object, names: &[&str]) -> Option<String> {
    let text = |name: &&&str| object.get(**name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    let name = names.iter().find(text)?;
    match object.remove(*name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Takes the first of these fields that is an object.
pub(crate) fn take_object(object: &mut Object, names: &[&str]) -> Option<Object> {
    let name = names.iter().find(|name| object.get(**name).is_some_and(Value::is_object))?;
    match object.remove(*name) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

/// The text of a field, which stays.
pub(crate) fn word<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Removes the type, which was recognised. A type that is no text stays and is shown.
pub(crate) fn drop_type(object: &mut Object) {
    if object.get("type").is_some_and(Value::is_string) {
        object.remove("type");
    }
}

/// The fields that were not recognised. Empty ones are dropped.
pub(crate) fn left_over(mut object: Object) -> Option<StepPart> {
    object.retain(|_, value| !is_empty(value));
    (!object.is_empty()).then(|| json_part(&Value::Object(object), Some(OTHER_LABEL)))
}

/// Whether a value says nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(crate) fn text_part(text: String) -> StepPart {
    StepPart { form: PartForm::Text, label: None, media_type: None, block: None, text }
}

pub(crate) fn json_part(value: &Value, label: Option<&'static str>) -> StepPart {
    StepPart { form: PartForm::Json, label, media_type: None, block: None, text: value.to_string() }
}

/// A value as a part: a text as it is, anything else as JSON.
pub(crate) fn part(value: Value, label: Option<&'static str>) -> StepPart {
    match value {
        Value::String(text) => StepPart { label, ..text_part(text) },
        other => json_part(&other, label),
    }
}

/// Measurements of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) at: Option<DateTime<Utc>>,
    pub(crate) duration_ms: Option<f64>,
    pub(crate) tokens: Option<u64>,
}

/// Takes the fields that can be read without doubt. Others stay in the message.
pub(crate) fn take_facts(object: &mut Object) -> Facts {
    let mut facts = Facts::default();
    if let Some((name, at)) = TIMES.iter().find_map(|name| Some((*name, timestamp(object.get(*name)?)?))) {
        object.remove(name);
        facts.at = Some(at);
    }
    if let Some((name, ms)) = DURATIONS.iter().find_map(|name| Some((*name, object.get(*name)?.as_f64()?))) {
        object.remove(name);
        facts.duration_ms = Some(ms);
    }
    if let Some(tokens) = object.get("tokens").and_then(Value::as_u64) {
        object.remove("tokens");
        facts.tokens = Some(tokens);
    }
    // The usage object has more than its sum, and stays.
    let usage = || USAGES.iter().find_map(|name| object.get(*name)?.as_object());
    facts.tokens = facts.tokens.or_else(|| total_tokens(usage()?));
    facts
}

fn timestamp(value: &Value) -> Option<DateTime<Utc>> {
    match value {
        Value::String(text) => {
            let at = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
            // An offset can lead to the year before 0, or to the year 10000.
            (0..=9999).contains(&at.year()).then_some(at)
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number > 0.0)?;
            let ms = if number < SECONDS_END { number * 1000.0 } else { number };
            (ms < LAST_MS).then(|| DateTime::from_timestamp_millis(ms as i64)).flatten()
        }
        _ => None,
    }
}

/// The sum of a `usage` object, by the field names of any provider.
///
/// ```
/// let usage = serde_json::json!({ "prompt_tokens": 5, "completion_tokens": 2 });
/// assert_eq!(reflect_trajectory::total_tokens(usage.as_object().unwrap()), Some(7));
/// ```
pub fn total_tokens(usage: &serde_json::Map<String, Value>) -> Option<u64> {
    let count = |names: &[&str]| names.iter().find_map(|name| usage.get(*name)?.as_u64());
    count(&["total_tokens", "totalTokenCount"]).or_else(|| {
        let input = count(&["input_tokens", "prompt_tokens", "promptTokenCount"]);
        let output = count(&["output_tokens", "completion_tokens", "candidatesTokenCount"]);
        Some(input.or(output)?.saturating_add(output.filter(|_| input.is_some()).unwrap_or_default()))
    })
}
