//! One message, in whatever form a framework wrote it, as steps.

use serde_json::Value;

use super::block::{Block, action, call, flat, read_block, result, thought};
use super::facts::{Facts, take_facts};
use super::fields::{Object, left_over, part, take, take_object, word};
use super::{Step, StepKind};

/// Some frameworks put a message inside another object.
const WRAPPERS: [&str; 3] = ["kwargs", "data", "message"];
const CONTENT: [&str; 3] = ["content", "parts", "text"];
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

pub(super) fn read(message: Value) -> Vec<Step> {
    let object = match message {
        Value::Object(object) => unwrapped(object),
        other => {
            let mut step = Step::new(StepKind::Note);
            step.parts.push(part(other, None));
            return vec![step];
        }
    };
    read_object(object)
}

fn read_object(mut object: Object) -> Vec<Step> {
    let facts = take_facts(&mut object);
    let mut steps = match item(&mut object) {
        Some(step) => vec![step],
        None => said(&mut object),
    };
    let rest = left_over(object);
    if steps.is_empty() {
        steps.push(Step::new(StepKind::Note));
    }
    if let Some(first) = steps.first_mut() {
        first.parts.extend(rest);
        let Facts { at, duration_ms, tokens } = facts;
        (first.at, first.duration_ms, first.tokens) = (at, duration_ms, tokens);
    }
    steps
}

/// An item of a list of events: it has a type and no role.
fn item(object: &mut Object) -> Option<Step> {
    if object.contains_key("role") {
        return None;
    }
    match word(object, "type") {
        "reasoning" => Some(thought(object)),
        "error" => {
            object.remove("type");
            let mut step = Step::new(StepKind::Error);
            let text = take(object, &["message", "error", "content", "text"]);
            step.parts.extend(text.into_iter().flat_map(flat));
            Some(step)
        }
        _ => action(object),
    }
}

/// A message of somebody: what they thought, said and called.
fn said(object: &mut Object) -> Vec<Step> {
    let kind = take_kind(object);
    let mut steps = Vec::new();
    if let Some(thought) = take(object, &THOUGHTS) {
        let mut step = Step::new(StepKind::Reasoning);
        step.parts.extend(flat(thought));
        steps.push(step);
    }
    if kind == StepKind::ToolResult {
        steps.push(result(object));
        return steps;
    }
    match take(object, &CONTENT) {
        Some(Value::Array(blocks)) => read_blocks(blocks, kind, &mut steps),
        Some(content) => read_blocks(vec![content], kind, &mut steps),
        None => {}
    }
    if let Some(error) = take(object, &["error"]) {
        let mut step = Step::new(StepKind::Error);
        step.parts.extend(flat(error));
        steps.push(step);
    }
    for called in take_calls(object) {
        match called {
            Value::Object(mut called) => steps.push(call(&mut called)),
            other => {
                let mut step = Step::new(StepKind::ToolCall);
                step.parts.push(part(other, None));
                steps.push(step);
            }
        }
    }
    if steps.is_empty() {
        steps.push(Step::new(kind));
    }
    steps
}

fn take_calls(object: &mut Object) -> Vec<Value> {
    let mut calls = match object.get("tool_calls") {
        Some(Value::Array(_)) => match object.remove("tool_calls") {
            Some(Value::Array(calls)) => calls,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    calls.extend(take_object(object, &["function_call"]).map(Value::Object));
    calls
}

/// What is said goes together; thoughts, calls and results between it stand by themselves.
fn read_blocks(blocks: Vec<Value>, kind: StepKind, steps: &mut Vec<Step>) {
    let mut open = Step::new(kind);
    for block in blocks {
        match read_block(block) {
            Block::Said(parts) => open.parts.extend(parts),
            Block::Apart(step) => {
                if !open.parts.is_empty() {
                    steps.push(std::mem::replace(&mut open, Step::new(kind)));
                }
                steps.push(*step);
            }
        }
    }
    if !open.parts.is_empty() {
        steps.push(open);
    }
}

/// Whose message it is. A role that nobody knows stays in the message, where it is seen.
fn take_kind(object: &mut Object) -> StepKind {
    for name in ["role", "type"] {
        let kind = match word(object, name) {
            "system" | "developer" | "SystemMessage" => StepKind::System,
            "user" | "human" | "HumanMessage" => StepKind::User,
            "assistant" | "ai" | "model" | "AIMessage" | "AIMessageChunk" => StepKind::Assistant,
            "tool" | "function" | "ToolMessage" | "FunctionMessage" => StepKind::ToolResult,
            "error" => StepKind::Error,
            "message" if name == "type" => StepKind::Note,
            _ => continue,
        };
        object.remove(name);
        // The other of the two says the same or nothing worth a note.
        if name == "role" && matches!(word(object, "type"), "message" | "human" | "ai" | "system" | "tool") {
            object.remove("type");
        }
        return kind;
    }
    match object.contains_key("tool_call_id") {
        true => StepKind::ToolResult,
        false => StepKind::Note,
    }
}

/// Takes a message out of what it is wrapped in, and keeps what the wrapping said.
fn unwrapped(mut outer: Object) -> Object {
    let has_content = CONTENT.iter().chain(&["tool_calls"]).any(|name| outer.contains_key(*name));
    if has_content {
        return outer;
    }
    let Some(mut inner) = take_object(&mut outer, &WRAPPERS) else { return outer };
    // A serialised object of a framework names its class; its last word says whose message it is.
    if !inner.contains_key("role") && word(&outer, "type") == "constructor" {
        let class = outer.get("id").and_then(Value::as_array).and_then(|path| path.last()?.as_str());
        if let Some(class) = class.filter(|class| class.ends_with("Message")) {
            inner.insert("role".to_owned(), Value::String(class.to_owned()));
        }
    }
    for (name, value) in outer {
        let mut free = name;
        if inner.get(&free) == Some(&value) {
            continue;
        }
        while inner.contains_key(&free) {
            free.insert(0, '_');
        }
        inner.insert(free, value);
    }
    inner
}
