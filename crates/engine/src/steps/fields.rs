//! Taking a message apart field by field, so that what is left over is known.

use serde_json::{Map, Value};

use super::{Part, PartForm};

pub(super) type Object = Map<String, Value>;

/// Takes the first of these fields that says something.
pub(super) fn take(object: &mut Object, names: &[&str]) -> Option<Value> {
    let name = names.iter().find(|name| object.get(**name).is_some_and(|value| !value.is_null()))?;
    object.remove(*name)
}

/// Takes the first of these fields that is a text with something in it.
pub(super) fn take_text(object: &mut Object, names: &[&str]) -> Option<String> {
    let text = |name: &&&str| object.get(**name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    let name = names.iter().find(text)?;
    match object.remove(*name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Takes a field that is an object.
pub(super) fn take_object(object: &mut Object, names: &[&str]) -> Option<Object> {
    let name = names.iter().find(|name| object.get(**name).is_some_and(Value::is_object))?;
    match object.remove(*name) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

/// A field that stays, as text.
pub(super) fn word<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What is left of an object after everything that is known was taken.
pub(super) fn left_over(mut object: Object) -> Option<Part> {
    object.retain(|_, value| !says_nothing(value));
    (!object.is_empty()).then(|| json_part(&Value::Object(object), Some("other")))
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(super) fn text_part(text: String) -> Part {
    Part { form: PartForm::Text, label: None, media_type: None, text }
}

pub(super) fn json_part(value: &Value, label: Option<&'static str>) -> Part {
    Part { form: PartForm::Json, label, media_type: None, text: value.to_string() }
}

/// A value as a part: a text as it is, anything else as JSON.
pub(super) fn part(value: Value, label: Option<&'static str>) -> Part {
    match value {
        Value::String(text) => Part { label, ..text_part(text) },
        other => json_part(&other, label),
    }
}
