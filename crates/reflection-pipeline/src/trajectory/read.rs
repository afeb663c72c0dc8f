//! Reads one message, in whatever format a framework wrote it.
//!
//! Nothing is refused: what is not recognised is shown as the JSON it is.

use std::borrow::Cow;

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// One message, taken apart.
pub(super) struct Message<'a> {
    pub(super) role: Cow<'a, str>,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// One thing that a message says or does.
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Thought(Cow<'a, str>),
    Call { name: Option<&'a str>, id: Option<&'a str>, arguments: Cow<'a, str> },
    Result { name: Option<&'a str>, id: Option<&'a str>, failed: bool, text: Cow<'a, str> },
}

const UNNAMED: &str = "message";
/// Some frameworks put a message inside another object.
const WRAPPERS: [&str; 3] = ["data", "kwargs", "message"];
const CONTENT: [&str; 3] = ["content", "parts", "text"];
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
/// `id` comes last: it may be the message's own.
const CALL_IDS: [&str; 6] = ["tool_call_id", "call_id", "callId", "tool_use_id", "toolUseId", "id"];
const ARGUMENTS: [&str; 3] = ["arguments", "args", "input"];

pub(super) fn read(message: &Value) -> Message<'_> {
    match message {
        Value::Object(object) => read_object(object),
        other => Message { role: UNNAMED.into(), pieces: vec![Piece::Text(as_text(other))] },
    }
}

fn read_object(outer: &Object) -> Message<'_> {
    let inner = inside(outer);
    let named = |key| string(outer, &[key]).or_else(|| string(inner, &[key]));
    let mut role = named("role").or_else(|| named("type")).unwrap_or(UNNAMED);
    let mut pieces = Vec::new();
    pieces.extend(string(inner, &THOUGHTS).map(|text| Piece::Thought(text.into())));
    if let Some(piece) = action(inner) {
        // Items of a list of events have a type and no role.
        let actor = if matches!(piece, Piece::Call { .. }) { "assistant" } else { "tool" };
        role = named("role").unwrap_or(actor);
        pieces.push(piece);
    } else if matches!(role, "tool" | "function") || string(inner, &["tool_call_id"]).is_some() {
        let text = first(inner, &CONTENT).map(flat).filter(|text| !text.trim().is_empty());
        pieces.push(result(inner, text.unwrap_or_else(|| rest(inner))));
    } else if let Some(content) = first(inner, &CONTENT) {
        read_content(content, &mut pieces);
    }
    let calls = inner.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls = calls.chain(inner.get("function_call").filter(|call| call.is_object()));
    pieces.extend(calls.filter_map(Value::as_object).map(call));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()));
    if pieces.is_empty() {
        pieces.push(Piece::Text(rest(outer)));
    }
    Message { role: role.into(), pieces }
}

fn inside(outer: &Object) -> &Object {
    let has_content = CONTENT.iter().chain(&["tool_calls"]).any(|key| outer.contains_key(*key));
    let wrapped = || WRAPPERS.iter().find_map(|key| outer.get(*key)?.as_object());
    if has_content { outer } else { wrapped().unwrap_or(outer) }
}

fn read_content<'a>(content: &'a Value, pieces: &mut Vec<Piece<'a>>) {
    match content {
        Value::Array(parts) => pieces.extend(parts.iter().map(read_part)),
        other => pieces.push(read_part(other)),
    }
}

fn read_part(part: &Value) -> Piece<'_> {
    let Value::Object(object) = part else { return Piece::Text(as_text(part)) };
    if let Some(piece) = action(object) {
        return piece;
    }
    if let Some(thought) = string(object, &THOUGHTS) {
        return Piece::Thought(thought.into());
    }
    if let Some(text) = string(object, &["text", "content", "output_text", "refusal"]) {
        return Piece::Text(text.into());
    }
    // Pictures and files: what they are is enough, and their bytes would fill the budget.
    Piece::Text(match string(object, &["type"]) {
        Some(kind) => format!("({kind})").into(),
        None => as_text(part),
    })
}

/// A call or a result that is an object of its own, by its type or by the key it stands under.
fn action(object: &Object) -> Option<Piece<'_>> {
    match string(object, &["type"]).unwrap_or_default() {
        "tool_use" | "server_tool_use" | "tool_call" | "function_call" | "custom_tool_call" => {
            return Some(call(object));
        }
        "tool_result" | "function_call_output" | "custom_tool_call_output" => {
            let text = first(object, &["content", "output"]).map(flat).unwrap_or_default();
            return Some(result(object, text));
        }
        _ => {}
    }
    let under = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key)?.as_object());
    if let Some(inner) = under(&["functionCall", "toolUse"]) {
        return Some(call(inner));
    }
    let inner = under(&["functionResponse", "toolResult"])?;
    let text = first(inner, &["response", "content", "output"]).map(flat).unwrap_or_default();
    Some(result(inner, text))
}

fn call(object: &Object) -> Piece<'_> {
    let function = object.get("function").and_then(Value::as_object).unwrap_or(object);
    let arguments = first(function, &ARGUMENTS).map(as_text).unwrap_or_default();
    Piece::Call { name: string(function, &["name"]), id: string(object, &CALL_IDS), arguments }
}

fn result<'a>(object: &'a Object, text: Cow<'a, str>) -> Piece<'a> {
    let failed = object.get("is_error").and_then(Value::as_bool).unwrap_or_default()
        || string(object, &["status"]) == Some("error");
    Piece::Result { name: string(object, &["name"]), id: string(object, &CALL_IDS), failed, text }
}

/// The text of a content, parts joined by line.
fn flat(content: &Value) -> Cow<'_, str> {
    let Value::Array(parts) = content else { return as_text(content) };
    let texts = parts.iter().map(|part| match read_part(part) {
        Piece::Text(text) | Piece::Thought(text) => text,
        Piece::Call { .. } | Piece::Result { .. } => as_text(part),
    });
    texts.collect::<Vec<_>>().join("\n").into()
}

/// What is left of a message in which nothing was recognised.
fn rest(message: &Object) -> Cow<'_, str> {
    let says_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let in_head = |key: &str| matches!(key, "role" | "type" | "name") || CALL_IDS.contains(&key);
    let rest = message.iter().filter(|(key, value)| !in_head(key) && !says_nothing(value));
    let rest: Object = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    if rest.is_empty() { "(empty)".into() } else { Value::Object(rest).to_string().into() }
}

fn as_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::default(),
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

fn first<'a>(object: &'a Object, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().filter_map(|key| object.get(*key)).find(|value| !value.is_null())
}

fn string<'a>(object: &'a Object, keys: &[&str]) -> Option<&'a str> {
    keys.iter().filter_map(|key| object.get(*key)?.as_str()).find(|text| !text.is_empty())
}
