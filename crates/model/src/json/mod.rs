//! Finds the JSON object in the text of a model.
//!
//! Models put JSON into code fences and sentences, write drafts first, and add remarks. Therefore a JSON parser is
//! tried at every `{`, which makes braces inside strings harmless. The object with the most expected keys is used. The
//! caller checks the types of its values.
//!
//! The text may be hostile. Its length is limited, and so is the number of bytes that failed attempts may read: a
//! megabyte of `{"a":` costs milliseconds, not seconds.

mod cut_off;

use serde_json::{Deserializer, Map, Value};

pub(crate) use cut_off::complete_part;

/// Only the last mebibyte of a text is searched, because models answer at the end.
pub const MAX_TEXT: usize = 1 << 20;

/// How many bytes all failed attempts may read. Braces in prose and code cost a few bytes each, and a broken draft
/// costs its length. An unoptimised build reads this many bytes in about 20 ms.
const EFFORT: usize = 48 * 1024;
/// The minimum cost of each `{`. This limits the number of attempts to 16,384.
const START: usize = 3;
/// How many levels are searched inside an object that has no expected key.
const WRAPPERS: usize = 3;
/// The end of a model's reasoning. The answer follows.
const ENDS_OF_THOUGHT: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];

/// An object and its number of expected keys.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) keys: usize,
    pub(crate) object: Map<String, Value>,
}

/// The JSON object in `text` that has the most of the `expected` keys. Of several with equally many, the first.
///
/// Text after the reasoning (`</think>`) is searched before the reasoning itself. If an object only wraps the expected
/// one, the inner object is returned. Without expected keys, the first object is returned.
///
/// ```
/// use reflect_model::json::find_object;
///
/// let text = r#"<think>{"plan": 1}</think> Here it is: {"summary": "use } with care"}"#;
/// let object = find_object(text, &["summary"]).unwrap();
/// assert_eq!(object["summary"], "use } with care");
///
/// assert!(find_object(r#"{"summary": "cut off in the mid"#, &["summary"]).is_none());
/// ```
pub fn find_object(text: &str, expected: &[&str]) -> Option<Map<String, Value>> {
    find_all(text, expected).into_iter().next().map(|found| found.object)
}

/// All objects, best first.
pub(crate) fn find_all(text: &str, expected: &[&str]) -> Vec<Found> {
    let text = last_part(text);
    let answer = ENDS_OF_THOUGHT.iter().filter_map(|end| Some(text.rfind(end)? + end.len())).max();
    if let Some(answer) = answer {
        let found = search(&text[answer..], expected);
        if found.iter().any(|found| found.keys > 0 || expected.is_empty()) {
            return found;
        }
    }
    search(text, expected)
}

fn last_part(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MAX_TEXT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

fn search(text: &str, expected: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut effort = EFFORT;
    let mut place = 0;
    while let Some(brace) = text[place..].find('{') {
        let start = place + brace;
        place = start + 1;
        let Some(left) = effort.checked_sub(START) else { break };
        effort = left;
        // Code and prose contain braces too. In JSON, a key or `}` follows.
        if !text[place..].trim_start().starts_with(['"', '}']) {
            continue;
        }
        let mut parser = Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        match parser.next() {
            Some(Ok(object)) => {
                place = start + parser.byte_offset();
                take(object, expected, &mut found);
            }
            Some(Err(error)) => effort = effort.saturating_sub(bytes_read(&text[start..], &error)),
            None => {}
        }
    }
    found.sort_by_key(|found| std::cmp::Reverse((found.keys, !found.object.is_empty())));
    found
}

/// Keeps an object, or the object that it wraps. Only one object without expected keys is kept.
fn take(object: Map<String, Value>, expected: &[&str], found: &mut Vec<Found>) {
    let keys = count(&object, expected);
    if keys == 0 {
        wrapped(&object, expected, WRAPPERS, found);
        if found.iter().any(|found| object.is_empty() || !found.object.is_empty()) {
            return;
        }
    }
    found.push(Found { keys, object });
}

fn wrapped(outer: &Map<String, Value>, expected: &[&str], levels: usize, found: &mut Vec<Found>) {
    let Some(levels) = levels.checked_sub(1) else { return };
    let values = outer.values().flat_map(|value| match value {
        Value::Array(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    });
    for inner in values.filter_map(Value::as_object) {
        match count(inner, expected) {
            0 => wrapped(inner, expected, levels, found),
            keys => found.push(Found { keys, object: inner.clone() }),
        }
    }
}

fn count(object: &Map<String, Value>, expected: &[&str]) -> usize {
    expected.iter().filter(|key| object.contains_key(**key)).count()
}

/// How many bytes the parser read. It reports lines and columns.
fn bytes_read(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

#[cfg(test)]
mod tests;
