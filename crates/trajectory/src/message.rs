//! Messages as steps, and the steps that a client marked in them.

use memchr::memmem;
use reflect_types::{Defence, StepKind, json_cost};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::block::{Block, action, call, flat, read_block, result, thought};
use crate::fields::{
    Facts, Object, drop_type, left_over, part, take, take_facts, take_object, take_text, word,
};
use crate::memories;
use crate::names::{BlockType, CONTENT, THOUGHTS, WRAPPERS, block_type, kind_of_role};
use crate::step::{TrajectoryStep, name_results};

const UNNAMED: &str = "message";
/// The most JSON values of one trajectory that are parsed, which takes at most 100 MB. Further messages are read as
/// text.
pub(crate) const MAX_PARSED_VALUES: usize = 250_000;
/// The field of a message that marks a step.
const MARK: &str = "reflect_step";
const MOST_MARKED_STEPS: usize = 50;

/// One message: its role as it was written, and what it says and does.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The role, or the type of a message without a role; `message` if it has neither.
    pub role: String,
    /// At least one. Memories that were pasted into a text are not split off.
    pub steps: Vec<TrajectoryStep>,
}

impl Turn {
    /// Reads one message.
    ///
    /// ```
    /// use reflect_trajectory::Turn;
    ///
    /// let turn = Turn::read(serde_json::json!({ "role": "model", "parts": [{ "text": "ok" }] }));
    /// assert_eq!((turn.role.as_str(), &*turn.steps[0].text()), ("model", "ok"));
    /// ```
    pub fn read(message: Value) -> Self {
        match message {
            Value::Object(object) => read_object(unwrapped(object)),
            other => {
                let mut step = TrajectoryStep::new(StepKind::Note);
                step.parts.push(part(other, None));
                Self { role: UNNAMED.to_owned(), steps: vec![step] }
            }
        }
    }

    /// Reads messages in order. A result gets the name of the tool that its call names.
    pub fn read_all(messages: impl IntoIterator<Item = Value>) -> Vec<Self> {
        let mut turns: Vec<Self> = messages.into_iter().map(Self::read).collect();
        name_results(turns.iter_mut().flat_map(|turn| &mut turn.steps));
        turns
    }
}

/// A state of the run that a client marked in its messages, and what the agent did in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedStep {
    /// The state, as it was sent to the memory query.
    pub task: String,
    /// What was done. Empty for the last state of a run that failed.
    pub action: String,
    /// The receipt of the query, if the client names it.
    pub retrieval_id: Option<String>,
}

/// The messages in the JSON text of a trajectory. Never fails: a text that is not JSON becomes one message, and messages
/// after the first 250,000 JSON values become texts.
///
/// ```
/// use reflect_trajectory::messages;
///
/// assert_eq!(messages(r#"[{"role": "user"}, {"half": "\ud800"}]"#).len(), 2);
/// assert_eq!(messages("plain text"), ["plain text"]);
/// ```
pub fn messages(json: &str) -> Vec<Value> {
    let mut values = 0;
    let mut message = |text: &str| {
        values += json_cost(text.as_bytes()).values;
        let as_text = || Value::String(text.to_owned());
        if values > MAX_PARSED_VALUES && Defence::JsonCost.is_on() {
            return as_text();
        }
        serde_json::from_str(text).unwrap_or_else(|_| as_text())
    };
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(items) => items.into_iter().map(|item| message(item.get())).collect(),
        Err(_) => vec![message(json)],
    }
}

/// The steps of a trajectory, given as its JSON text. Memories that were pasted into a prompt are steps of their own.
///
/// ```
/// use reflect_trajectory::{StepKind, steps};
///
/// let run = steps(r#"[{"role": "user", "content": "How warm is it?"},
///                     {"role": "assistant", "tool_calls": [
///                       {"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]},
///                     {"role": "tool", "tool_call_id": "c1", "content": "12 degrees"}]"#);
/// let kinds: Vec<StepKind> = run.iter().map(|step| step.kind).collect();
/// assert_eq!(kinds, [StepKind::User, StepKind::ToolCall, StepKind::ToolResult]);
/// assert_eq!((run[2].message, run[2].tool.as_deref()), (2, Some("weather")));
/// ```
pub fn steps(trajectory: &str) -> Vec<TrajectoryStep> {
    let mut steps = Vec::new();
    for (index, message) in messages(trajectory).into_iter().enumerate() {
        let read = Turn::read(message).steps.into_iter().flat_map(memories::apart);
        steps.extend(read.map(|step| TrajectoryStep { message: index, ..step }));
    }
    name_results(&mut steps);
    for step in &mut steps {
        step.title = step.title_line();
    }
    steps
}

/// How many steps of a trajectory report a failure.
pub fn count_errors(trajectory: &str) -> usize {
    steps(trajectory).iter().filter(|step| step.failed).count()
}

/// The steps of a run that a client marked, in order, at most 50. A mark without a task is ignored.
///
/// ```
/// use reflect_trajectory::marked_steps;
///
/// let run = r#"[{"role": "assistant", "content": "I restart it.",
///                "reflect_step": {"task": "The phone has no signal.", "action": "restart the phone"}}]"#;
/// assert_eq!(marked_steps(run)[0].action, "restart the phone");
/// ```
pub fn marked_steps(trajectory: &str) -> Vec<MarkedStep> {
    // Most runs have no marks. They are not parsed.
    if memmem::find(trajectory.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    messages(trajectory).into_iter().filter_map(marked_step).take(MOST_MARKED_STEPS).collect()
}

fn marked_step(message: Value) -> Option<MarkedStep> {
    let Value::Object(message) = message else { return None };
    let mut mark = take_object(&mut unwrapped(message), &[MARK])?;
    let task = take_text(&mut mark, &["task"]).filter(|task| !task.trim().is_empty())?;
    let action = take_text(&mut mark, &["action"]).unwrap_or_default();
    let retrieval_id = take_text(&mut mark, &["retrieval_id"]);
    Some(MarkedStep { task, action, retrieval_id })
}

fn read_object(mut object: Object) -> Turn {
    let facts = take_facts(&mut object);
    let named = ["role", "type"].map(|name| word(&object, name)).into_iter().find(|name| !name.is_empty());
    let mut role = named.unwrap_or(UNNAMED).to_owned();
    let mut steps = match item(&mut object) {
        Some(step) => {
            actor(step.kind).clone_into(&mut role);
            vec![step]
        }
        None => said(&mut object),
    };
    let rest = left_over(object);
    if steps.is_empty() {
        steps.push(TrajectoryStep::new(StepKind::Note));
    }
    if let Some(first) = steps.first_mut() {
        first.parts.extend(rest);
        let Facts { at, duration_ms, tokens } = facts;
        (first.at, first.duration_ms, first.tokens) = (at, duration_ms, tokens);
    }
    Turn { role, steps }
}

/// The role of an item that has a type and no role.
const fn actor(kind: StepKind) -> &'static str {
    match kind {
        StepKind::ToolResult => "tool",
        StepKind::Error => "error",
        _ => "assistant",
    }
}

/// An item of a list of events: it has a type and no role.
fn item(object: &mut Object) -> Option<TrajectoryStep> {
    if object.contains_key("role") {
        return None;
    }
    match word(object, "type") {
        "reasoning" => Some(thought(object)),
        "error" => {
            drop_type(object);
            let mut step = TrajectoryStep::new(StepKind::Error);
            let text = take(object, &["message", "error", "content", "text"]);
            step.parts.extend(text.into_iter().flat_map(flat));
            Some(step)
        }
        _ => action(object),
    }
}

/// A message with a role: its thoughts, its content, its errors and its calls.
fn said(object: &mut Object) -> Vec<TrajectoryStep> {
    let kind = take_kind(object);
    let mut steps = Vec::new();
    if let Some(thought) = take(object, &THOUGHTS) {
        let mut step = TrajectoryStep::new(StepKind::Reasoning);
        step.parts.extend(flat(thought));
        steps.push(step);
    }
    if kind == StepKind::ToolResult && !holds_results(object) {
        steps.push(result(object));
        return steps;
    }
    match take(object, &CONTENT) {
        Some(Value::Array(blocks)) => read_blocks(blocks, kind, &mut steps),
        Some(content) => read_blocks(vec![content], kind, &mut steps),
        None => {}
    }
    if let Some(error) = take(object, &["error"]) {
        let mut step = TrajectoryStep::new(StepKind::Error);
        step.parts.extend(flat(error));
        steps.push(step);
    }
    for called in take_calls(object) {
        match called {
            Value::Object(mut called) => steps.push(call(&mut called)),
            other => {
                let mut step = TrajectoryStep::new(StepKind::ToolCall);
                step.parts.push(part(other, None));
                steps.push(step);
            }
        }
    }
    if steps.is_empty() {
        steps.push(TrajectoryStep::new(kind));
    }
    steps
}

/// Some frameworks put the results of several calls into one message.
fn holds_results(object: &Object) -> bool {
    let blocks = CONTENT.iter().filter_map(|name| object.get(*name)?.as_array()).flatten();
    let mut types = blocks.filter_map(|block| block.as_object().map(|block| word(block, "type")));
    types.any(|name| block_type(name) == BlockType::Result)
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

/// Blocks of text become one step. Thoughts, calls and results between them are steps of their own.
fn read_blocks(blocks: Vec<Value>, kind: StepKind, steps: &mut Vec<TrajectoryStep>) {
    let mut open = TrajectoryStep::new(kind);
    for block in blocks {
        match read_block(block) {
            Block::Said(parts) => open.parts.extend(parts),
            Block::Apart(step) => {
                if !open.parts.is_empty() {
                    steps.push(std::mem::replace(&mut open, TrajectoryStep::new(kind)));
                }
                steps.push(*step);
            }
        }
    }
    if !open.parts.is_empty() {
        steps.push(open);
    }
}

/// The kind that the role or the type says. An unknown role stays in the message and is shown with it.
fn take_kind(object: &mut Object) -> StepKind {
    for name in ["role", "type"] {
        let kind = match kind_of_role(word(object, name)) {
            Some(kind) => kind,
            None if name == "type" && word(object, name) == "message" => StepKind::Note,
            None => continue,
        };
        object.remove(name);
        // The type repeats the role.
        if name == "role" && matches!(word(object, "type"), "message" | "human" | "ai" | "system" | "tool") {
            drop_type(object);
        }
        return kind;
    }
    match object.contains_key("tool_call_id") {
        true => StepKind::ToolResult,
        false => StepKind::Note,
    }
}

/// Takes a message out of its wrapper, and keeps the other fields of the wrapper.
fn unwrapped(mut outer: Object) -> Object {
    let has_content = CONTENT.iter().chain(&["tool_calls"]).any(|name| outer.contains_key(*name));
    if has_content {
        return outer;
    }
    let Some(mut inner) = take_object(&mut outer, &WRAPPERS) else { return outer };
    // A serialised LangChain object names its class, which says the role.
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
