//! The lines of a transcript, and what both formats have in common.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::repair::repaired_json;
use crate::fields::{Object, word};

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
            // In the input of a tool, fields with these names are its own.
            if let Some(sealed) = sealed_field(word(fields, "type")) {
                fields.retain(|name, _| name != sealed);
            }
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(text) => {
                        if let Some(note) = note_of_bytes(name, text) {
                            *text = note;
                        }
                    }
                    other => without_bytes(other),
                }
            }
        }
        _ => {}
    }
}

/// The field of a block of this type that only the provider can read.
fn sealed_field(kind: &str) -> Option<&'static str> {
    match kind {
        "thinking" | "redacted_thinking" => Some("signature"),
        "reasoning"
        | "compaction"
        | "encrypted_content"
        | "web_search_result"
        | "advisor_redacted_result" => Some("encrypted_content"),
        _ => None,
    }
}

/// What is kept of the bytes of a picture or a file: their length, and the media type of an address with data. Nothing of the
/// bytes: texts are cut only after they were masked. `None` for all other texts.
fn note_of_bytes(name: &str, text: &str) -> Option<String> {
    let length = text.len();
    if length <= MOST_BYTES {
        return None;
    }
    if let Some(media_type) = media_type(text) {
        return Some(format!("data:{media_type},({length} bytes)"));
    }
    let is_data = matches!(name, "data" | "result" | "b64_json") && is_base64(text);
    is_data.then(|| format!("({length} bytes)"))
}

/// The media type of a text that is an address with data, such as `data:image/png;base64,…`.
fn media_type(text: &str) -> Option<&str> {
    let (head, data) = text.strip_prefix("data:")?.split_once(',')?;
    let is_head = |letter: u8| letter.is_ascii_alphanumeric() || b"/+-._;=".contains(&letter);
    let media_type = head.split(';').next()?;
    let is_kind = |(kind, _): (&str, &str)| MEDIA.contains(&kind) && head.len() <= LONGEST_HEAD;
    let is_named = media_type.split_once('/').is_some_and(is_kind) || head == ";base64";
    let is_whole = if head.ends_with(";base64") {
        is_base64(data)
    } else {
        data.bytes().all(|letter| letter.is_ascii_graphic())
    };
    (is_named && head.bytes().all(is_head) && is_whole).then_some(media_type)
}

/// Whether a text is base64 as a whole, in either alphabet.
fn is_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=');
    let is_digit = |letter: u8| letter.is_ascii_alphanumeric() || b"+/-_".contains(&letter);
    text.len() - data.len() <= 2 && data.bytes().all(is_digit)
}

/// Longer data is left out.
const MOST_BYTES: usize = 1024;
/// The first words of media types.
const MEDIA: [&str; 7] = ["application", "audio", "font", "image", "model", "text", "video"];
/// The longest media type of an address with data, with its parameters.
const LONGEST_HEAD: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(mut value: Value) -> Value {
        without_bytes(&mut value);
        value
    }

    #[test]
    fn what_only_the_provider_can_read_is_left_out_and_fields_of_tools_are_not() {
        let thought = json!({ "type": "thinking", "thinking": "look", "signature": "c2ln" });
        assert_eq!(kept(thought), json!({ "type": "thinking", "thinking": "look" }));
        let item = json!({ "type": "reasoning", "summary": ["look"], "encrypted_content": "gAAA" });
        assert_eq!(kept(item), json!({ "type": "reasoning", "summary": ["look"] }));

        let input =
            json!({ "signature": "fn main()", "encrypted_content": "x", "method": { "signature": "()" } });
        let call = json!({ "type": "tool_use", "name": "refactor", "input": input });
        assert_eq!(kept(call.clone()), call);
    }

    #[test]
    fn long_texts_are_kept_unless_all_of_them_is_base64_or_an_address_with_data() {
        let bytes = "iVBO/w0K+_-9".repeat(200);
        let address = format!("data:image/png;base64,{bytes}==");
        let with_bytes = json!([{ "data": bytes, "note": bytes }, { "image_url": address }]);
        let expected = json!([{ "data": "(2400 bytes)", "note": bytes }, { "image_url": "data:image/png,(2424 bytes)" }]);
        assert_eq!(kept(with_bytes), expected);
        assert_eq!(media_type(&format!("data:;base64,{bytes}")), Some(""));

        let json = format!("{{\"rows\":[{}1]}}", "1,".repeat(1000));
        for text in [
            json.clone(),
            format!("{bytes} and more"),
            format!("data:{json}"),
            format!("data:ghp_{bytes},{bytes}"),
            format!("data:image/{bytes},{bytes}"),
            format!("data:image/png;base64,{bytes} and more"),
            format!("data: text/plain,{bytes}"),
        ] {
            for name in ["data", "result", "text"] {
                let object = json!({ name: text });
                assert_eq!(kept(object.clone()), object);
            }
        }
    }
}
