//! The blocks of a message: texts, thoughts, calls, results, pictures.

use serde_json::Value;

use super::fields::{Object, json_part, left_over, part, take, take_object, take_text, text_part, word};
use super::{Part, PartForm, Step, StepKind};

/// `id` comes last: it may be the message's own.
const CALL_IDS: [&str; 6] = ["tool_call_id", "call_id", "callId", "tool_use_id", "toolUseId", "id"];
const ARGUMENTS: [&str; 3] = ["arguments", "args", "input"];
const RESULTS: [&str; 4] = ["output", "content", "response", "result"];

/// What one block is: more of what the message says, or a step of its own.
pub(super) enum Block {
    Said(Vec<Part>),
    Apart(Box<Step>),
}

impl Block {
    fn apart(step: Step) -> Self {
        Self::Apart(Box::new(step))
    }
}

pub(super) fn read_block(block: Value) -> Block {
    let mut object = match block {
        Value::Object(object) => object,
        Value::String(text) if text.is_empty() => return Block::Said(Vec::new()),
        other => return Block::Said(vec![part(other, None)]),
    };
    if let Some(step) = action(&mut object) {
        return Block::apart(step);
    }
    match word(&object, "type") {
        "text" | "input_text" | "output_text" | "summary_text" | "refusal" | "" => said(object),
        "thinking" | "redacted_thinking" | "reasoning" | "reasoning_text" => {
            Block::apart(thought(&mut object))
        }
        kind if is_media(kind) => Block::Said(vec![media(object)]),
        _ => Block::Said(vec![json_part(&Value::Object(object), None)]),
    }
}

fn said(mut object: Object) -> Block {
    if ["inlineData", "inline_data", "fileData", "file_data"].iter().any(|name| object.contains_key(*name)) {
        return Block::Said(vec![media(object)]);
    }
    let Some(text) = take_text(&mut object, &["text", "refusal", "output_text"]) else {
        // An empty text says nothing; anything else is shown as it is.
        let known = |name: &str| matches!(name, "type" | "text" | "refusal");
        let empty = object.keys().all(|name| known(name)) && word(&object, "text").is_empty();
        let parts = if empty { Vec::new() } else { vec![json_part(&Value::Object(object), None)] };
        return Block::Said(parts);
    };
    object.remove("type");
    let mut parts = vec![text_part(text)];
    parts.extend(left_over(object));
    Block::Said(parts)
}

/// A thought, as a block or as an item of its own.
pub(super) fn thought(object: &mut Object) -> Step {
    let mut step = Step::new(StepKind::Reasoning);
    object.remove("type");
    let mut texts = Vec::new();
    for name in ["thinking", "reasoning", "text", "summary", "content"] {
        if let Some(value) = take(object, &[name]) {
            texts.push(value);
        }
    }
    for value in texts {
        step.parts.extend(flat(value));
    }
    step.parts.extend(left_over(std::mem::take(object)));
    step
}

/// A call or a result that is an object of its own, by its type or by the field it stands under.
pub(super) fn action(object: &mut Object) -> Option<Step> {
    match word(object, "type") {
        "tool_use" | "server_tool_use" | "tool_call" | "function_call" | "custom_tool_call" | "mcp_call" => {
            object.remove("type");
            return Some(call(object));
        }
        "tool_result" | "function_call_output" | "custom_tool_call_output" | "tool_call_output" => {
            object.remove("type");
            return Some(result(object));
        }
        kind if kind.ends_with("_call") => {
            let tool = kind.trim_end_matches("_call").to_owned();
            let mut step = call(object);
            step.tool.get_or_insert(tool);
            return Some(step);
        }
        _ => {}
    }
    if let Some(mut inner) = take_object(object, &["functionCall", "toolUse"]) {
        let mut step = call(&mut inner);
        step.parts.extend(left_over(std::mem::take(object)));
        return Some(step);
    }
    let mut inner = take_object(object, &["functionResponse", "toolResult"])?;
    let mut step = result(&mut inner);
    step.parts.extend(left_over(std::mem::take(object)));
    Some(step)
}

/// A call, in whatever words.
pub(super) fn call(object: &mut Object) -> Step {
    let mut step = Step::new(StepKind::ToolCall);
    step.call_id = take_text(object, &CALL_IDS);
    if let Some(mut function) = take_object(object, &["function"]) {
        if word(object, "type") == "function" {
            object.remove("type");
        }
        fill_call(&mut step, &mut function);
        step.parts.extend(left_over(function));
    } else {
        fill_call(&mut step, object);
    }
    step.parts.extend(left_over(std::mem::take(object)));
    step
}

fn fill_call(step: &mut Step, function: &mut Object) {
    step.tool = take_text(function, &["name", "tool_name"]);
    if let Some(arguments) = take(function, &ARGUMENTS) {
        let mut part = part(arguments, Some("arguments"));
        // Most providers send arguments as text that is JSON.
        if part.form == PartForm::Text && part.text.trim_start().starts_with(['{', '[']) {
            part.form = PartForm::Json;
        }
        step.parts.push(part);
    }
}

/// What a tool gave.
pub(super) fn result(object: &mut Object) -> Step {
    let mut step = Step::new(StepKind::ToolResult);
    step.call_id = take_text(object, &CALL_IDS);
    step.tool = take_text(object, &["name", "tool_name"]);
    step.failed = went_wrong(object);
    if let Some(value) = take(object, &RESULTS) {
        step.parts.extend(flat(value));
    }
    step.parts.extend(left_over(std::mem::take(object)));
    step
}

fn went_wrong(object: &mut Object) -> bool {
    if let Some(Value::Bool(failed)) = object.get("is_error").or_else(|| object.get("isError")).cloned() {
        object.remove("is_error");
        object.remove("isError");
        return failed;
    }
    let failed = matches!(word(object, "status"), "error" | "failed");
    if failed {
        object.remove("status");
    }
    failed || object.get("error").is_some_and(|error| !error.is_null())
}

/// The parts of a content that is one thing, however it is written.
pub(super) fn flat(value: Value) -> Vec<Part> {
    let Value::Array(items) = value else {
        return vec![part(value, None)];
    };
    let parts = items.into_iter().flat_map(|item| match item {
        Value::Object(mut object) => match word(&object, "type") {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                let text = take_text(&mut object, &["text"]).map(text_part);
                object.remove("type");
                text.into_iter().chain(left_over(object)).collect()
            }
            kind if is_media(kind) => vec![media(object)],
            _ => vec![json_part(&Value::Object(object), None)],
        },
        other => vec![part(other, None)],
    });
    parts.collect()
}

fn is_media(kind: &str) -> bool {
    matches!(
        kind,
        "image"
            | "image_url"
            | "input_image"
            | "audio"
            | "input_audio"
            | "document"
            | "file"
            | "input_file"
            | "video"
    )
}

/// A picture, a sound or a file: as an address or as data where it is nothing else, whole otherwise.
fn media(object: Object) -> Part {
    let found = data_in(&object);
    let whole = Value::Object(object).to_string();
    let (media_type, text) = match found {
        // Only when nothing else would be lost.
        Some((media_type, text, true)) => (media_type, text),
        Some((media_type, _, false)) => (media_type, whole),
        None => (None, whole),
    };
    Part { form: PartForm::Media, label: None, media_type, text }
}

/// The type and the data of a picture, and whether there is nothing else in it.
fn data_in(object: &Object) -> Option<(Option<String>, String, bool)> {
    if let Some(source) = object.get("source").and_then(Value::as_object) {
        let (kind, data) = (source.get("media_type")?.as_str()?, source.get("data")?.as_str()?);
        let alone = object.len() == 2 && source.len() == 3;
        return Some((Some(kind.to_owned()), format!("data:{kind};base64,{data}"), alone));
    }
    let address = object.get("image_url")?;
    let (url, alone) = match address {
        Value::String(url) => (url, object.len() == 2),
        other => (
            match other.get("url")? {
                Value::String(url) => url,
                _ => return None,
            },
            object.len() == 2 && other.as_object().is_some_and(|other| other.len() == 1),
        ),
    };
    let kind = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next()).map(str::to_owned);
    Some((kind, url.clone(), alone))
}
