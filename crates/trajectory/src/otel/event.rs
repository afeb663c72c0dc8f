//! Messages in events: in log records that name a span, and in the events of a span itself.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::attributes::{owned, value};
use super::contents;
use super::part::{RunPart, RunPartKind};
use super::span::OtelEvent;

/// An event with all messages of a model call.
const DETAILS: [&str; 2] = ["gen_ai.client.inference.operation.details", "gen_ai.client.operation.details"];
const CHOICE: &str = "gen_ai.choice";

/// Reads a log record. `None` if it has no messages, or names no span.
///
/// ```
/// use reflect_trajectory::otel::{OtelEvent, read_event};
///
/// let mut event = OtelEvent { span_id: "00f067aa0ba902b7".into(), name: "gen_ai.user.message".into(), ..OtelEvent::default() };
/// event.body = serde_json::json!({ "content": "How warm is it?" });
/// assert_eq!(read_event(&event).unwrap().input.len(), 1);
/// ```
pub fn read_event(event: &OtelEvent) -> Option<RunPart> {
    if event.span_id.is_empty() {
        return None;
    }
    let (input, output) = messages_of(event)?;
    let model = owned(&event.attributes, &["gen_ai.response.model", "gen_ai.request.model"]);
    let (span, name) = (event.span_id.clone(), event.name.clone());
    let (start, end) = (event.at, event.at);
    Some(RunPart {
        kind: RunPartKind::Event,
        span,
        name,
        start,
        end,
        input,
        output,
        model,
        ..RunPart::default()
    })
}

/// Whether an event of a span has messages.
pub(crate) fn has_messages(event: &OtelEvent) -> bool {
    event.name.starts_with("gen_ai.") && messages_of(event).is_some()
}

/// Adds the messages of the events of a span, if its attributes had none.
pub(crate) fn add_messages(part: &mut RunPart, events: &[OtelEvent]) {
    let (no_input, no_output) = (part.input.is_empty(), part.output.is_empty());
    for (input, output) in events.iter().filter_map(messages_of) {
        if no_input {
            part.input.extend(input);
        }
        if no_output {
            part.output.extend(output);
        }
    }
}

type Messages = Vec<Box<RawValue>>;

/// The messages that went in, and those that came out.
fn messages_of(event: &OtelEvent) -> Option<(Messages, Messages)> {
    let name = event.name.as_str();
    let found =
        if DETAILS.contains(&name) || matches!(name, "gen_ai.content.prompt" | "gen_ai.content.completion") {
            let mut attributes = event.attributes.clone();
            if let Value::Object(body) = &event.body {
                attributes.extend(body.clone());
            }
            (contents::input(&attributes), contents::output(&attributes))
        } else if name == CHOICE {
            (Vec::new(), choice(event).into_iter().collect())
        } else {
            let role = name.strip_prefix("gen_ai.")?.strip_suffix(".message")?;
            (message(event, role).into_iter().collect(), Vec::new())
        };
    (!found.0.is_empty() || !found.1.is_empty()).then_some(found)
}

/// The fields of a message: the body, or the attributes of the event of a span.
fn fields(event: &OtelEvent) -> Map<String, Value> {
    match &event.body {
        Value::Object(body) => body.clone(),
        Value::Null => event.attributes.clone(),
        other => Map::from_iter([("content".to_owned(), other.clone())]),
    }
}

fn message(event: &OtelEvent, role: &str) -> Option<Box<RawValue>> {
    let mut fields = fields(event);
    fields.retain(|name, _| !name.starts_with("gen_ai.") && name != "event.name");
    if !fields.contains_key("content") && !fields.contains_key("tool_calls") {
        return None;
    }
    fields.entry("role").or_insert_with(|| role.into());
    to_raw_value(&fields).ok()
}

fn choice(event: &OtelEvent) -> Option<Box<RawValue>> {
    let mut outer = fields(event);
    let mut message = match value(&outer, &["message"]) {
        Some(Value::Object(message)) => message.clone(),
        Some(text @ Value::String(_)) => Map::from_iter([("content".to_owned(), text.clone())]),
        _ => Map::from_iter([("content".to_owned(), outer.remove("content").unwrap_or_default())]),
    };
    if let Some(calls) = outer.remove("tool_calls") {
        message.entry("tool_calls").or_insert(calls);
    }
    message.entry("role").or_insert_with(|| "assistant".into());
    let says = message.iter().any(|(name, value)| name != "role" && !value.is_null());
    says.then(|| to_raw_value(&message).ok())?
}
