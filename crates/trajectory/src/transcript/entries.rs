//! The lines of a transcript, and what both formats have in common.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::repair::repaired_json;
use crate::fields::Object;

/// The entries of the complete lines with the places of their lines, and the number of bytes of these lines. A line that is
/// being written has no end.
pub(super) fn entries(part: &[u8]) -> (impl Iterator<Item = (usize, Object)>, usize) {
    let end = memchr::memrchr(b'\n', part).map_or(0, |at| at + 1);
    let mut at = 0;
    let lines = part[..end].split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let begin = at;
        at += line.len();
        (begin, line)
    });
    (lines.filter_map(|(begin, line)| Some((begin, entry(line)?))), end)
}

fn entry(line: &[u8]) -> Option<Object> {
    let read = serde_json::from_slice(line);
    read.or_else(|_| serde_json::from_str(&repaired_json(line))).ok()
}

pub(super) fn flag(entry: &Object, name: &str) -> bool {
    entry.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// The time of a line, in both formats.
pub(super) fn time(entry: &Object) -> Option<DateTime<Utc>> {
    let text = entry.get("timestamp")?.as_str()?;
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}

/// The text of a content: a text, or the texts of its blocks.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Whether a text has memories that were passed to the agent.
pub(super) fn has_memories(text: &str) -> bool {
    text.contains("<memories>") || text.contains("<relevant_memories>")
}

/// A message with a role and a text.
pub(super) fn message(role: &str, text: &str, at: Option<&Value>) -> Value {
    let mut message = json!({ "role": role, "content": text });
    if let Some(at) = at {
        message["timestamp"] = at.clone();
    }
    message
}

/// Removes the bytes of pictures and files, and what only the provider can read: signatures and encrypted thoughts. A
/// picture of a screen is larger than all the rest of a run.
pub(super) fn without_bytes(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_bytes),
        Value::Object(fields) => {
            fields.retain(|name, _| !matches!(name.as_str(), "signature" | "encrypted_content"));
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(text) if is_bytes(name, text) => {
                        let begin = text.split_once(',').map_or("", |(begin, _)| begin);
                        *field = Value::String(format!("{begin}({} bytes)", text.len()));
                    }
                    other => without_bytes(other),
                }
            }
        }
        _ => {}
    }
}

/// Whether a field has the bytes of a picture or a file, as text without spaces.
fn is_bytes(name: &str, text: &str) -> bool {
    text.len() > MOST_BYTES
        && (text.starts_with("data:") || matches!(name, "data" | "result" | "b64_json"))
        && !text.as_bytes()[..MOST_BYTES].iter().any(u8::is_ascii_whitespace)
}

/// Longer data is left out.
const MOST_BYTES: usize = 1024;
