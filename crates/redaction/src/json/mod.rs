//! Inside JSON: the values are taken as what they say, not as how they are written.
//!
//! Everything else stays as it is, to the byte. A value that holds JSON itself, as the arguments of tool calls
//! do, is gone through in the same way.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::value::RawValue;

use crate::findings::Findings;
use crate::redactor::Redactor;
use crate::unescape::unescape;

/// JSON inside of JSON inside of JSON; deeper than that it is read as text.
const DEEPEST: usize = 3;

pub(crate) fn redact<'a>(redactor: &Redactor, text: &'a str, findings: &mut Findings) -> Cow<'a, str> {
    if !redactor.may_find_in_json(text) {
        return Cow::Borrowed(text);
    }
    values(redactor, text, findings, 0)
}

/// Where in the structure we are.
struct Frame {
    is_object: bool,
    expects_name: bool,
    /// The name that a value stands under; in an array, the array's.
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

/// The place of the quote that ends a string, or the end of the text.
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

/// The string to put in place of this one, with its quotes; none when it may stay.
fn value(
    redactor: &Redactor,
    name: Option<&str>,
    raw: &str,
    findings: &mut Findings,
    depth: usize,
) -> Option<String> {
    let said = unescape(raw);
    let redacted = if depth < DEEPEST && is_json(&said) {
        values(redactor, &said, findings, depth + 1)
    } else {
        redactor.named(name.unwrap_or_default(), &said, findings)
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
