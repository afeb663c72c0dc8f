//! The messages that went into a span and came out, by convention. The first convention with messages is used: some
//! programs follow two of them at a time.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::attributes::{
    Attributes, indexed, list, message, parsed, raw, raw_fields, raw_items, said, text, value,
};
use super::flattened;

type Messages = Vec<Box<RawValue>>;
type Convention = fn(&Attributes) -> Messages;

const INPUTS: [Convention; 8] = [
    |attributes| genai(attributes, "gen_ai.input.messages", "user"),
    |attributes| flattened::openinference(attributes, "llm.input_messages"),
    ai_sdk_prompt,
    |attributes| flattened::genai(attributes, "gen_ai.prompt", "user"),
    |attributes| genai(attributes, "gen_ai.prompt", "user"),
    prompts,
    |attributes| entity(attributes, "input.value", "user", &ASKED),
    |attributes| entity(attributes, "traceloop.entity.input", "user", &ASKED),
];
const OUTPUTS: [Convention; 8] = [
    |attributes| genai(attributes, "gen_ai.output.messages", "assistant"),
    |attributes| flattened::openinference(attributes, "llm.output_messages"),
    ai_sdk_response,
    |attributes| flattened::genai(attributes, "gen_ai.completion", "assistant"),
    |attributes| genai(attributes, "gen_ai.completion", "assistant"),
    choices,
    |attributes| entity(attributes, "output.value", "assistant", &ANSWERED),
    |attributes| entity(attributes, "traceloop.entity.output", "assistant", &ANSWERED),
];
/// The fields of an agent's input or output that hold its text.
const ASKED: [&str; 9] =
    ["input", "question", "query", "prompt", "task", "text", "content", "message", "user_input"];
const ANSWERED: [&str; 8] =
    ["output", "answer", "result", "response", "text", "content", "final_output", "message"];

/// The messages that went in, with the instructions first.
pub(crate) fn input(attributes: &Attributes) -> Messages {
    let mut messages = instructions(attributes);
    messages.extend(first_of(&INPUTS, attributes));
    messages
}

/// The messages that came out.
pub(crate) fn output(attributes: &Attributes) -> Messages {
    first_of(&OUTPUTS, attributes)
}

fn first_of(conventions: &[Convention], attributes: &Attributes) -> Messages {
    conventions.iter().map(|read| read(attributes)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The instructions are a text, a list of parts or, in some programs, a list of messages.
fn instructions(attributes: &Attributes) -> Messages {
    let Some(given) = value(attributes, &["gen_ai.system_instructions"]) else { return Vec::new() };
    match raw_items(given) {
        Some(items) if items.iter().any(|item| item.get().contains(r#""role""#)) => items,
        Some(items) => {
            let parts: Vec<&str> = items.iter().map(|item| item.get()).collect();
            message("system", "parts", &format!("[{}]", parts.join(","))).into_iter().collect()
        }
        None => given.as_str().and_then(|text| said("system", text)).into_iter().collect(),
    }
}

/// Messages as JSON, as JSON text, or as one plain text.
fn genai(attributes: &Attributes, name: &str, role: &str) -> Messages {
    let Some(given) = value(attributes, &[name]) else { return Vec::new() };
    raw_items(given).unwrap_or_else(|| given.as_str().and_then(|text| said(role, text)).into_iter().collect())
}

fn ai_sdk_prompt(attributes: &Attributes) -> Messages {
    let items = |name: &str| value(attributes, &[name]).and_then(raw_items);
    if let Some(messages) = items("ai.prompt.messages") {
        return messages;
    }
    let Some(prompt) = value(attributes, &["ai.prompt"]) else { return Vec::new() };
    let Some(fields) = raw_fields(prompt) else {
        return prompt.as_str().and_then(|text| said("user", text)).into_iter().collect();
    };
    let mut messages = Messages::new();
    for (name, role) in [("system", "system"), ("prompt", "user"), ("messages", "")] {
        let Some(given) = fields.get(name) else { continue };
        let json = given.get();
        match json.as_bytes().first() {
            Some(b'[') => messages.extend(list(json).unwrap_or_default()),
            Some(b'"') => messages.extend(message(role, "content", json)),
            _ => {}
        }
    }
    messages
}

fn ai_sdk_response(attributes: &Attributes) -> Messages {
    let mut blocks = Vec::new();
    if let Some(reasoning) = text(attributes, &["ai.response.reasoning"]) {
        blocks.push(json!({ "type": "reasoning", "text": reasoning }));
    }
    if let Some(text) = text(attributes, &["ai.response.text", "ai.response.object"]) {
        blocks.push(json!({ "type": "text", "text": text }));
    }
    let calls = value(attributes, &["ai.response.toolCalls"]).and_then(raw);
    match calls.as_ref().and_then(|calls| parsed(calls.get())) {
        Some(Value::Array(calls)) => blocks.extend(calls.into_iter().filter_map(tool_call)),
        Some(call) => blocks.extend(tool_call(call)),
        None => {}
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    let blocks = Value::Array(blocks);
    message("assistant", "content", &blocks.to_string()).into_iter().collect()
}

fn tool_call(call: Value) -> Option<Value> {
    let Value::Object(mut call) = call else { return None };
    call.insert("type".to_owned(), "tool-call".into());
    Some(Value::Object(call))
}

/// Prompts of completions, which are texts.
fn prompts(attributes: &Attributes) -> Messages {
    let listed = value(attributes, &["llm.prompts"]).and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let mut messages: Messages = listed.filter_map(|text| said("user", text)).collect();
    for prompt in indexed(attributes, "llm.prompts") {
        messages.extend(text(&prompt, &["prompt.text"]).and_then(|text| said("user", text)));
    }
    messages
}

fn choices(attributes: &Attributes) -> Messages {
    let choices = indexed(attributes, "llm.choices");
    choices.iter().filter_map(|choice| said("assistant", text(choice, &["completion.text"])?)).collect()
}

/// The input or output of an agent or a chain: a text, or JSON with messages or with a text.
fn entity(attributes: &Attributes, name: &str, role: &str, texts: &[&str]) -> Messages {
    let given =
        value(attributes, &[name]).filter(|given| given.as_str().is_none_or(|text| !text.trim().is_empty()));
    given.map(|given| entity_messages(given, role, texts, true)).unwrap_or_default()
}

/// `may_nest`: whether the fields may be inside another object. Each level reads the whole text again, and programs have one.
fn entity_messages(given: &Value, role: &str, texts: &[&str], may_nest: bool) -> Messages {
    let whole = || match given {
        Value::String(text) => said(role, text),
        other => said(role, &other.to_string()),
    };
    let Some(fields) = raw_fields(given) else {
        return match raw(given).filter(|json| json.get().starts_with('"')) {
            Some(json) => message(role, "content", json.get()).into_iter().collect(),
            None => whole().into_iter().collect(),
        };
    };
    if let Some(messages) = fields.get("messages").and_then(|messages| message_list(messages)) {
        return messages;
    }
    if let Some(inner) = ["inputs", "outputs"].iter().find_map(|name| fields.get(*name).filter(|_| may_nest))
        && let Some(inner) = parsed(inner.get()).filter(Value::is_object)
    {
        return entity_messages(&inner, role, texts, false);
    }
    let text = texts
        .iter()
        .filter_map(|name| fields.get(*name))
        .find(|json| json.get().len() > 2 && json.get().starts_with('"'));
    let found = text.and_then(|json| message(role, "content", json.get())).or_else(whole);
    found.into_iter().collect()
}

/// A list of messages. LangChain sends a list of such lists, of which the first is read.
fn message_list(json: &RawValue) -> Option<Messages> {
    let items = list(json.get())?;
    let items = match items.first() {
        Some(first) if first.get().starts_with('[') => list(first.get())?,
        _ => items,
    };
    (!items.is_empty()).then_some(items)
}
