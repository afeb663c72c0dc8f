//! Contexts of values: prose, shells, files, logs, code, JSON and nested JSON.

use reflect_redaction::Class;
use serde_json::json;

use crate::Case;
use crate::draw::Draw;

/// A context of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// A sentence.
    Prose,
    /// The end of a sentence.
    EndOfSentence,
    /// A command.
    Shell,
    /// A line of a log.
    Log,
    /// A table.
    Csv,
    /// Markdown emphasis or code.
    Markdown,
    /// After a line break.
    Lines,
    /// Among non-ASCII letters.
    Foreign,
    /// A field of JSON.
    Json,
    /// The same with every character as a `\u` escape.
    EscapedJson,
    /// JSON in a string field, after a line break.
    NestedJson,
}

/// All contexts.
pub const ALL: &[Context] = &[
    Context::Prose,
    Context::EndOfSentence,
    Context::Shell,
    Context::Log,
    Context::Csv,
    Context::Markdown,
    Context::Lines,
    Context::Foreign,
    Context::Json,
    Context::EscapedJson,
    Context::NestedJson,
];

pub(crate) fn put(context: Context, class: Class, value: &str, said: &str, draw: &mut Draw) -> Case {
    let (text, is_json) = written(context, said, draw);
    Case { text, is_json, value: Some((class, value.to_owned())) }
}

pub(crate) fn put_decoy(context: Context, said: &str, draw: &mut Draw) -> Case {
    let (text, is_json) = written(context, said, draw);
    Case { text, is_json, value: None }
}

fn written(context: Context, said: &str, draw: &mut Draw) -> (String, bool) {
    let opening =
        draw.one(&["I tried", "Then the agent used", "The old value was", "Please look at", "It printed"]);
    let text = match context {
        Context::Prose => format!("{opening} {said} and it went on as before."),
        Context::EndOfSentence => format!("{opening} {said}."),
        Context::Shell => format!("$ run --verbose {said} | tail -n 5"),
        Context::Log => format!("2026-11-15T13:33:48.120Z INFO worker[12] step=3 {said} took 120ms"),
        Context::Csv => format!("id,what,when\n17,{said},2026-11-15\n"),
        Context::Markdown => format!("- see `{said}` (line 12)"),
        Context::Lines => format!("first line\n{said}\nlast line"),
        Context::Foreign => format!("Größe: „{said}“ — 値です"),
        Context::Json => return (json!([{ "role": "tool", "content": said, "n": 1 }]).to_string(), true),
        Context::EscapedJson => {
            let escaped: String = said.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
            return (format!("[{{\"content\":\"{escaped}\"}}]"), true);
        }
        Context::NestedJson => {
            let inner = json!({ "output": format!("ok\n{said}\n") }).to_string();
            return (json!([{ "tool_calls": [{ "arguments": inner }] }]).to_string(), true);
        }
    };
    (text, false)
}
