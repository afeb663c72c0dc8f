//! Messages that are flattened into attributes: OpenInference, and the GenAI attributes of earlier years.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::attributes::{Attributes, indexed, parsed, text, value};

/// `llm.input_messages.{i}.message.*`.
pub(crate) fn openinference(attributes: &Attributes, prefix: &str) -> Vec<Box<RawValue>> {
    // Some chains send the roles only.
    let says = |message: &&Attributes| {
        message.keys().any(|name| !matches!(name.as_str(), "message.role" | "message.name"))
    };
    let messages = indexed(attributes, prefix);
    let messages = messages.iter().filter(says);
    messages.filter_map(|message| to_raw_value(&openinference_message(message)).ok()).collect()
}

fn openinference_message(fields: &Attributes) -> Value {
    let mut message = Attributes::new();
    for (name, names) in
        [("role", ["message.role"]), ("name", ["message.name"]), ("tool_call_id", ["message.tool_call_id"])]
    {
        if let Some(found) = text(fields, &names) {
            message.insert(name.to_owned(), found.into());
        }
    }
    message.insert("content".to_owned(), openinference_content(fields));
    let calls: Vec<Value> = indexed(fields, "message.tool_calls").iter().map(openinference_call).collect();
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    if let Some(name) = text(fields, &["message.function_call_name"]) {
        let arguments = value(fields, &["message.function_call_arguments_json"]);
        message.insert("function_call".to_owned(), json!({ "name": name, "arguments": arguments }));
    }
    Value::Object(message)
}

fn openinference_call(fields: &Attributes) -> Value {
    json!({
        "id": value(fields, &["tool_call.id"]),
        "type": "function",
        "function": {
            "name": value(fields, &["tool_call.function.name"]),
            "arguments": value(fields, &["tool_call.function.arguments"]),
        },
    })
}

fn openinference_content(fields: &Attributes) -> Value {
    let blocks = indexed(fields, "message.contents");
    if blocks.is_empty() {
        return value(fields, &["message.content"]).cloned().unwrap_or_default();
    }
    blocks.iter().map(openinference_block).collect()
}

fn openinference_block(fields: &Attributes) -> Value {
    let kind = text(fields, &["message_content.type"]).unwrap_or("text");
    if let Some(found) = value(fields, &["message_content.text"]) {
        let kind = if kind == "reasoning" { kind } else { "text" };
        return json!({ "type": kind, "text": found });
    }
    if let Some(url) = value(fields, &["message_content.image.image.url"]) {
        return json!({ "type": "image_url", "image_url": { "url": url } });
    }
    Value::Object(fields.clone())
}

/// `gen_ai.prompt.{i}.*` and `gen_ai.completion.{i}.*`. `role` is that of a message that has none.
pub(crate) fn genai(attributes: &Attributes, prefix: &str, role: &str) -> Vec<Box<RawValue>> {
    let messages = indexed(attributes, prefix);
    messages.iter().filter_map(|message| to_raw_value(&genai_message(message, role)).ok()).collect()
}

fn genai_message(fields: &Attributes, role: &str) -> Value {
    let mut message = Attributes::new();
    message.insert("role".to_owned(), text(fields, &["role"]).unwrap_or(role).into());
    message.insert("content".to_owned(), genai_content(fields));
    if let Some(id) = value(fields, &["tool_call_id"]) {
        message.insert("tool_call_id".to_owned(), id.clone());
    }
    if let Some(reasoning) = text(fields, &["reasoning", "reasoning_content"]) {
        message.insert("reasoning_content".to_owned(), reasoning.into());
    }
    let calls: Vec<Value> = indexed(fields, "tool_calls").into_iter().map(Value::Object).collect();
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Value::Object(message)
}

/// A list of blocks was sent as JSON text.
fn genai_content(fields: &Attributes) -> Value {
    let content = value(fields, &["content"]).cloned().unwrap_or_default();
    let list = content.as_str().filter(|content| content.starts_with("[{")).and_then(parsed);
    list.unwrap_or(content)
}
