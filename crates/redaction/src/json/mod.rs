//! Redaction of JSON: string values are decoded before they are searched.
//!
//! All other bytes stay unchanged. A string value that contains JSON, such as the arguments of a tool call, is redacted
//! in the same way.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::value::RawValue;

use crate::findings::Findings;
use crate::redactor::Redactor;
use crate::unescape::unescape;

/// The maximum depth of JSON inside JSON strings. Deeper strings are redacted as plain text.
const MAX_DEPTH: usize = 3;

impl Redactor {
    /// Redacts the values of a JSON text. Field names stay, and so does every byte outside a value in which something
    /// was found. A text that is not JSON is redacted as plain text.
    pub fn json<'a>(&self, text: &'a str, findings: &mut Findings) -> Cow<'a, str> {
        if !self.may_find_in_json(text) {
            return Cow::Borrowed(text);
        }
        values(self, text, findings, 0)
    }
}

/// One open object or array.
struct Frame {
    is_object: bool,
    expects_name: bool,
    /// The name of the current field. The elements of an array have the name of the array.
    name: Option<Rc<str>>,
}

fn values<'a>(redactor: &Redactor, text: &'a str, findings: &mut Findings, depth: usize) -> Cow<'a, str> {
    let bytes = text.as_bytes();
    let mut redacted = String::new();
    let mut copied = 0;
    let mut frames: Vec<Frame> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                let name = frames.last().and_then(|frame| frame.name.clone());
                let is_object = *byte == b'{';
                frames.push(Frame { is_object, expects_name: is_object, name });
            }
            b'}' | b']' => {
                frames.pop();
            }
            b',' => {
                if let Some(frame) = frames.last_mut().filter(|frame| frame.is_object) {
                    frame.expects_name = true;
                }
            }
            b'"' => {
                let end = string_end(bytes, at + 1);
                let raw = &text[at + 1..end];
                match frames.last_mut().filter(|frame| frame.expects_name) {
                    Some(frame) => {
                        frame.expects_name = false;
                        frame.name = Some(unescape(raw).into());
                    }
                    None => {
                        let name = frames.last().and_then(|frame| frame.name.as_deref());
                        if let Some(value) = value(redactor, name, raw, findings, depth) {
                            redacted.push_str(&text[copied..at]);
                            redacted.push_str(&value);
                            copied = (end + 1).min(text.len());
                        }
                    }
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    redacted.push_str(&text[copied..]);
    Cow::Owned(redacted)
}

/// The index of the closing quote of a string, or the end of the text.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(next) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += next;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// The redacted string with its quotes. `None` if nothing was found.
fn value(
    redactor: &Redactor,
    name: Option<&str>,
    raw: &str,
    findings: &mut Findings,
    depth: usize,
) -> Option<String> {
    let decoded = unescape(raw);
    let redacted = if depth < MAX_DEPTH && is_json(&decoded) {
        values(redactor, &decoded, findings, depth + 1)
    } else {
        redactor.named(name.unwrap_or_default(), &decoded, findings)
    };
    match redacted {
        Cow::Borrowed(_) => None,
        Cow::Owned(redacted) => serde_json::to_string(&redacted).ok(),
    }
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests;
