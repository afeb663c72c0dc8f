//! The blocks of a message: texts, thoughts, calls, results, pictures.

use reflect_types::{PartForm, StepKind};
use serde_json::Value;

use crate::fields::{
    Object, drop_type, is_empty, json_part, left_over, part, take, take_object, take_text, text_part, word,
};
use crate::names::{
    ARGUMENTS, BlockType, CALL_FIELDS, CALL_IDS, FILE_FIELDS, MODALITIES, RESULT_FIELDS, RESULTS, TOOLS,
    block_type,
};
use crate::step::{ARGUMENTS_LABEL, StepPart, TrajectoryStep};

/// One block: parts of what the message says, or a step of its own.
pub(crate) enum Block {
    Said(Vec<StepPart>),
    Apart(Box<TrajectoryStep>),
}

impl Block {
    fn apart(step: TrajectoryStep) -> Self {
        Self::Apart(Box::new(step))
    }
}

pub(crate) fn read_block(block: Value) -> Block {
    let mut object = match block {
        Value::Object(object) => object,
        Value::String(text) if text.is_empty() => return Block::Said(Vec::new()),
        other => return Block::Said(vec![part(other, None)]),
    };
    if let Some(step) = action(&mut object) {
        return Block::apart(step);
    }
    match block_type(word(&object, "type")) {
        BlockType::Text => said(object),
        BlockType::Thought => Block::apart(thought(&mut object)),
        BlockType::Media => Block::Said(vec![media(object)]),
        _ => Block::Said(vec![json_part(&Value::Object(object), None)]),
    }
}

fn said(mut object: Object) -> Block {
    if FILE_FIELDS.iter().any(|name| object.contains_key(*name)) {
        return Block::Said(vec![media(object)]);
    }
    let Some(text) = take_text(&mut object, &["text", "refusal", "output_text", "content"]) else {
        // An empty text is dropped; any other object is shown as JSON.
        let is_dropped = |(name, value): (&String, &Value)| match name.as_str() {
            "type" => value.is_string(),
            "text" | "refusal" | "content" => is_empty(value),
            _ => false,
        };
        let parts = if object.iter().all(is_dropped) {
            Vec::new()
        } else {
            vec![json_part(&Value::Object(object), None)]
        };
        return Block::Said(parts);
    };
    drop_type(&mut object);
    let mut parts = vec![text_part(text)];
    parts.extend(left_over(object));
    Block::Said(parts)
}

/// A thought, as a block or as an item of its own.
pub(crate) fn thought(object: &mut Object) -> TrajectoryStep {
    let mut step = TrajectoryStep::new(StepKind::Reasoning);
    drop_type(object);
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

/// A call or a result, by the type of the object or by the field that it is in.
pub(crate) fn action(object: &mut Object) -> Option<TrajectoryStep> {
    let name = word(object, "type").to_owned();
    match block_type(&name) {
        BlockType::Call => {
            drop_type(object);
            return Some(call(object));
        }
        BlockType::Result => {
            drop_type(object);
            return Some(result(object));
        }
        BlockType::NamedCall => {
            let mut step = call(object);
            step.tool.get_or_insert(name.trim_end_matches("_call").to_owned());
            return Some(step);
        }
        _ => {}
    }
    if let Some(mut inner) = take_object(object, &CALL_FIELDS) {
        let mut step = call(&mut inner);
        step.parts.extend(left_over(std::mem::take(object)));
        return Some(step);
    }
    let mut inner = take_object(object, &RESULT_FIELDS)?;
    let mut step = result(&mut inner);
    step.parts.extend(left_over(std::mem::take(object)));
    Some(step)
}

/// A call of a tool.
pub(crate) fn call(object: &mut Object) -> TrajectoryStep {
    let mut step = TrajectoryStep::new(StepKind::ToolCall);
    step.call_id = take_text(object, &CALL_IDS);
    if let Some(mut function) = take_object(object, &["function"]) {
        if word(object, "type") == "function" {
            drop_type(object);
        }
        fill_call(&mut step, &mut function);
        step.parts.extend(left_over(function));
    } else {
        fill_call(&mut step, object);
    }
    step.parts.extend(left_over(std::mem::take(object)));
    step
}

fn fill_call(step: &mut TrajectoryStep, function: &mut Object) {
    step.tool = take_text(function, &TOOLS);
    if let Some(arguments) = take(function, &ARGUMENTS) {
        let mut part = part(arguments, Some(ARGUMENTS_LABEL));
        // Most providers send arguments as text that is JSON.
        if part.form == PartForm::Text && part.text.trim_start().starts_with(['{', '[']) {
            part.form = PartForm::Json;
        }
        step.parts.push(part);
    }
}

/// The result of a tool.
pub(crate) fn result(object: &mut Object) -> TrajectoryStep {
    let mut step = TrajectoryStep::new(StepKind::ToolResult);
    step.call_id = take_text(object, &CALL_IDS);
    step.tool = take_text(object, &TOOLS);
    step.failed = reports_failure(object);
    if let Some(value) = take(object, &RESULTS) {
        let (value, failed) = untagged(value);
        step.failed |= failed;
        step.parts.extend(flat(value));
    }
    step.parts.extend(left_over(std::mem::take(object)));
    step
}

/// The AI SDK says of what type a result is. Also returns whether the type is that of an error.
fn untagged(value: Value) -> (Value, bool) {
    let Value::Object(mut object) = value else { return (value, false) };
    let failed = matches!(word(&object, "type"), "error-text" | "error-json");
    let is_tagged = failed || matches!(word(&object, "type"), "text" | "json" | "content");
    match object.get_mut("value").map(Value::take) {
        Some(value) if is_tagged && object.len() == 2 => (value, failed),
        Some(value) => {
            object.insert("value".to_owned(), value);
            (Value::Object(object), failed)
        }
        None => (Value::Object(object), failed),
    }
}

fn reports_failure(object: &mut Object) -> bool {
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

/// The parts of a content that belongs to one step.
pub(crate) fn flat(value: Value) -> Vec<StepPart> {
    let Value::Array(items) = value else {
        return vec![part(value, None)];
    };
    let parts = items.into_iter().flat_map(|item| match item {
        Value::Object(mut object) if is_text(&object) => {
            let text = take_text(&mut object, &["text", "content"]).map(text_part);
            drop_type(&mut object);
            text.into_iter().chain(left_over(object)).collect()
        }
        Value::Object(object) if block_type(word(&object, "type")) == BlockType::Media => vec![media(object)],
        other => vec![part(other, None)],
    });
    parts.collect()
}

/// Bedrock leaves out the type of a text.
fn is_text(object: &Object) -> bool {
    match word(object, "type") {
        "" => !word(object, "text").is_empty(),
        "refusal" => false,
        name => name == "reasoning_text" || block_type(name) == BlockType::Text,
    }
}

/// A picture, a sound or a file: its address or its data if there is nothing else, otherwise the whole object.
fn media(object: Object) -> StepPart {
    let found = data_in(&object);
    let name = Some(word(&object, "type")).filter(|name| !name.is_empty());
    let field = || FILE_FIELDS.into_iter().find(|field| object.contains_key(*field));
    let block = name.or_else(field).map(str::to_owned);
    let whole = Value::Object(object).to_string();
    let (media_type, text) = match found {
        Some((media_type, text, true)) => (media_type, text),
        Some((media_type, _, false)) => (media_type, whole),
        None => (None, whole),
    };
    StepPart { form: PartForm::Media, label: None, media_type, block, text }
}

/// The MIME type and the data of a picture, and whether the object has nothing else.
fn data_in(object: &Object) -> Option<(Option<String>, String, bool)> {
    if matches!(word(object, "type"), "blob" | "uri") {
        return genai_data(object);
    }
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

/// The same for the media blocks of OpenTelemetry.
fn genai_data(object: &Object) -> Option<(Option<String>, String, bool)> {
    let kind = object.get("mime_type").filter(|kind| !kind.is_null());
    let known = match object.get("modality") {
        None => true,
        Some(modality) => modality.as_str().is_some_and(|modality| MODALITIES.contains(&modality)),
    };
    let is_known =
        |name: &String| matches!(name.as_str(), "type" | "modality" | "mime_type" | "content" | "uri");
    let alone =
        known && object.keys().all(is_known) && object.contains_key("uri") != object.contains_key("content");
    match word(object, "type") {
        "blob" => {
            let (kind, data) = (kind?.as_str()?, object.get("content")?.as_str()?);
            Some((Some(kind.to_owned()), format!("data:{kind};base64,{data}"), alone))
        }
        _ => Some((None, object.get("uri")?.as_str()?.to_owned(), alone && kind.is_none())),
    }
}
