//! Attribute values: JSON, or JSON in a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use reflect_types::{MAX_DEPTH, json_cost};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::sent::MAX_MESSAGES;

/// The highest index in a flattened list that is read.
const MOST_INDEXED: usize = 20_000;
/// A text with more JSON values than this is not split, and stays a text.
const MOST_SPLIT: usize = 1_000_000;
/// A text with more JSON values than this is not parsed: a value takes up to 400 bytes.
pub(crate) const MOST_PARSED: usize = 50_000;

pub(crate) type Attributes = Map<String, Value>;

/// The first of these attributes that is a text and not empty.
pub(crate) fn text<'a>(attributes: &'a Attributes, names: &[&str]) -> Option<&'a str> {
    let texts = names.iter().filter_map(|name| attributes.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty())
}

/// The same as an owned text.
pub(crate) fn owned(attributes: &Attributes, names: &[&str]) -> Option<String> {
    text(attributes, names).map(str::to_owned)
}

/// The first of these attributes that is present and not null.
pub(crate) fn value<'a>(attributes: &'a Attributes, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|name| attributes.get(*name)).find(|value| !value.is_null())
}

/// The first of these attributes that is a number.
pub(crate) fn number(attributes: &Attributes, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| attributes.get(*name)?.as_u64())
}

/// The text of a JSON value: the inside of a text that is JSON itself, else the value. `None` for a text that is no JSON.
fn json_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.trim()).filter(|text| is_json(text)).map(Cow::Borrowed),
        other => Some(Cow::Owned(other.to_string())),
    }
}

fn is_json(text: &str) -> bool {
    if !text.starts_with(['[', '{', '"']) {
        return false;
    }
    let cost = json_cost(text.as_bytes());
    cost.depth <= MAX_DEPTH && !cost.exceeds(MOST_SPLIT) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The value of a JSON text. `None` if it is costly.
pub(crate) fn parsed(json: &str) -> Option<Value> {
    if json_cost(json.as_bytes()).exceeds(MOST_PARSED) { None } else { serde_json::from_str(json).ok() }
}

/// A value as JSON. A text that is JSON is that JSON.
pub(crate) fn raw(value: &Value) -> Option<Box<RawValue>> {
    match json_text(value) {
        Some(json) => RawValue::from_string(json.into_owned()).ok(),
        None => serde_json::value::to_raw_value(value).ok(),
    }
}

/// The items of a value that is a list, or JSON text of one. An object counts as a list of one.
pub(crate) fn raw_items(value: &Value) -> Option<Vec<Box<RawValue>>> {
    let json = json_text(value)?;
    match json.as_bytes().first() {
        Some(b'[') => list(&json),
        Some(b'{') => Some(vec![RawValue::from_string(json.into_owned()).ok()?]),
        _ => None,
    }
}

/// The items of a list. `None` if there are more than a run may have messages: an item of two bytes takes a hundred times that.
pub(crate) fn list(json: &str) -> Option<Vec<Box<RawValue>>> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    (items.len() <= MAX_MESSAGES).then(|| items.into_iter().map(ToOwned::to_owned).collect())
}

/// The fields of a value that is an object, or JSON text of one.
pub(crate) fn raw_fields(value: &Value) -> Option<BTreeMap<String, Box<RawValue>>> {
    let json = json_text(value)?;
    if json.starts_with('{') { serde_json::from_str(&json).ok() } else { None }
}

/// A message with this text.
pub(crate) fn said(role: &str, content: &str) -> Option<Box<RawValue>> {
    message(role, "content", &Value::from(content).to_string())
}

/// A message whose content is this JSON.
pub(crate) fn message(role: &str, field: &str, json: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(format!(r#"{{"role":"{role}","{field}":{json}}}"#)).ok()
}

/// The items of a flattened list: `prefix.0.name`, `prefix.1.name` and so on, with the rest of each name.
pub(crate) fn indexed(attributes: &Attributes, prefix: &str) -> Vec<Attributes> {
    let mut items: BTreeMap<usize, Attributes> = BTreeMap::new();
    for (name, value) in attributes {
        let Some(rest) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')) else { continue };
        let Some((index, field)) = rest.split_once('.') else { continue };
        let Ok(index) = index.parse() else { continue };
        if index < MOST_INDEXED {
            items.entry(index).or_default().insert(field.to_owned(), value.clone());
        }
    }
    items.into_values().collect()
}

/// Arguments may be repeated with other spaces.
pub(crate) fn canonical(arguments: &str) -> String {
    parsed(arguments).map_or_else(|| arguments.trim().to_owned(), |value| value.to_string())
}

/// JSON as the content of a message: a text as it is, anything else as JSON.
pub(crate) fn plain(json: &RawValue) -> String {
    let text = json.get();
    if text.starts_with('"') {
        serde_json::from_str(text).unwrap_or_else(|_| text.to_owned())
    } else {
        text.to_owned()
    }
}
