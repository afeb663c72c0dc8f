//! Steps as messages of one form, that of OpenAI's chat. Clients of the product store the same form.

use chrono::{DateTime, SecondsFormat};
use reflect_types::{PartForm, StepKind};
use serde_json::{Map, Value, json};

use crate::step::{StepPart, TrajectoryStep};

pub(crate) type Message = Map<String, Value>;

/// Says nothing that the messages do not show.
const USUAL_ENDS: [&str; 6] = ["stop", "tool_call", "tool_calls", "tool-calls", "function_call", "end_turn"];

/// The messages of some steps of one turn. `role` is that of the turn.
pub(crate) fn messages_of(role: &str, steps: Vec<TrajectoryStep>) -> Vec<Message> {
    let mut writer = Writer::default();
    for step in steps {
        writer.write(role, &step);
    }
    writer.flush();
    writer.messages
}

/// The result of a tool.
pub(crate) fn result(call_id: Option<&str>, tool: Option<&str>, content: &str, failed: bool) -> Message {
    let mut message = message("tool", content.into());
    if let Some(id) = call_id {
        message.insert("tool_call_id".to_owned(), id.into());
    }
    if let Some(tool) = tool {
        message.insert("name".to_owned(), tool.into());
    }
    if failed {
        message.insert("status".to_owned(), "error".into());
    }
    message
}

/// A call of a tool that no model asked for.
pub(crate) fn call(call_id: &str, tool: &str, arguments: &str) -> Message {
    let mut message = message("assistant", "".into());
    message.insert("tool_calls".to_owned(), json!([call_json(Some(call_id), Some(tool), arguments)]));
    message
}

/// A failure that is not the result of a tool.
pub(crate) fn error(text: &str) -> Message {
    let mut message = message("assistant", "".into());
    message.insert("error".to_owned(), json!({ "message": text }));
    message
}

/// A moment in nanoseconds since 1970, as messages contain it.
pub(crate) fn timestamp(at: u64) -> Option<Value> {
    let at = i64::try_from(at).ok().filter(|at| *at > 0)?;
    Some(DateTime::from_timestamp_nanos(at).to_rfc3339_opts(SecondsFormat::Millis, true).into())
}

pub(crate) fn message(role: &str, content: Value) -> Message {
    Map::from_iter([("role".to_owned(), role.into()), ("content".to_owned(), content)])
}

fn call_json(call_id: Option<&str>, tool: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({ "type": "function", "function": { "name": tool.unwrap_or_default(), "arguments": arguments } });
    if let (Some(id), Some(call)) = (call_id, call.as_object_mut()) {
        call.insert("id".to_owned(), id.into());
    }
    call
}

/// What the assistant says, thinks and calls in one message.
#[derive(Default)]
struct Writer {
    messages: Vec<Message>,
    thoughts: Vec<String>,
    blocks: Vec<Value>,
    calls: Vec<Value>,
    others: Message,
}

impl Writer {
    fn write(&mut self, role: &str, step: &TrajectoryStep) {
        match step.kind {
            StepKind::Reasoning => {
                if !self.blocks.is_empty() || !self.calls.is_empty() {
                    self.flush();
                }
                self.thoughts.push(text_of(step));
                self.others.extend(others_of(step));
            }
            StepKind::Assistant => {
                if !self.calls.is_empty() {
                    self.flush();
                }
                self.blocks.extend(blocks_of(step));
                self.others.extend(others_of(step));
            }
            StepKind::ToolCall => {
                let arguments = step.arguments().unwrap_or("{}");
                let mut call = call_json(step.call_id.as_deref(), step.tool.as_deref(), arguments);
                if let Some(call) = call.as_object_mut() {
                    call.extend(others_of(step).into_iter().filter(|(name, _)| !is_own(name)));
                }
                self.calls.push(call);
            }
            StepKind::ToolResult => {
                self.flush();
                let text = text_of(step);
                let mut message = result(step.call_id.as_deref(), step.tool.as_deref(), &text, step.failed);
                add_others(&mut message, others_of(step));
                self.messages.push(message);
            }
            StepKind::Error => {
                self.flush();
                self.messages.push(error(&text_of(step)));
            }
            kind => {
                self.flush();
                let role = match kind {
                    StepKind::System => "system",
                    StepKind::User => "user",
                    _ => role,
                };
                let mut message = message(role, content_of(blocks_of(step)));
                add_others(&mut message, others_of(step));
                self.messages.push(message);
            }
        }
    }

    /// Ends the message of the assistant, if it says anything.
    fn flush(&mut self) {
        let (thoughts, blocks) = (std::mem::take(&mut self.thoughts), std::mem::take(&mut self.blocks));
        let (calls, others) = (std::mem::take(&mut self.calls), std::mem::take(&mut self.others));
        if thoughts.is_empty() && blocks.is_empty() && calls.is_empty() && others.is_empty() {
            return;
        }
        let mut message = message("assistant", content_of(blocks));
        if !thoughts.is_empty() {
            message.insert("reasoning_content".to_owned(), thoughts.join("\n").into());
        }
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        add_others(&mut message, others);
        self.messages.push(message);
    }
}

/// Fields that a message or a call has from its step.
fn is_own(name: &str) -> bool {
    matches!(name, "role" | "content" | "tool_calls" | "function" | "type" | "id" | "error" | "status")
}

fn add_others(message: &mut Message, others: Message) {
    for (name, value) in others {
        if !is_own(&name) {
            message.entry(name).or_insert(value);
        }
    }
}

/// The fields of a step that were not recognised, without an end that is normal.
fn others_of(step: &TrajectoryStep) -> Message {
    let mut others: Message =
        step.other().and_then(|other| serde_json::from_str(other).ok()).unwrap_or_default();
    if others.get("finish_reason").and_then(Value::as_str).is_some_and(|end| USUAL_ENDS.contains(&end)) {
        others.remove("finish_reason");
    }
    others
}

/// What a step says in one text, without fields that were not recognised.
pub(crate) fn text_of(step: &TrajectoryStep) -> String {
    let parts = step.parts.iter().filter(|part| part.label.is_none());
    parts.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn content_of(mut blocks: Vec<Value>) -> Value {
    match blocks.as_mut_slice() {
        [] => "".into(),
        [block] if block["type"] == "text" => block["text"].take(),
        _ => blocks.into(),
    }
}

fn blocks_of(step: &TrajectoryStep) -> Vec<Value> {
    step.parts.iter().filter(|part| part.label.is_none()).map(block).collect()
}

fn block(part: &StepPart) -> Value {
    let text = part.text.as_str();
    match part.form {
        PartForm::Media if text.starts_with("data:image/") || is_image_address(part) => {
            json!({ "type": "image_url", "image_url": { "url": text } })
        }
        PartForm::Media if text.starts_with('{') => {
            serde_json::from_str(text).unwrap_or_else(|_| json!({ "type": "text", "text": text }))
        }
        PartForm::Media => json!({ "type": "file", "file": { "file_data": text } }),
        PartForm::Text | PartForm::Json => json!({ "type": "text", "text": text }),
    }
}

fn is_image_address(part: &StepPart) -> bool {
    let is_image = part.block.as_deref().is_some_and(|block| block.contains("image") || block == "uri");
    is_image && part.text.starts_with("http")
}
