//! Converts a chat request to the request of `genai`.

use genai::chat::{self, ChatOptions, JsonSpec, ReasoningEffort};
use reflect_model::{ChatMessage, ChatRequest, ChatRole, OutputSchema};
use serde_json::Value;

use crate::kind::ProviderKind;
use crate::refusals::Refusals;

/// A conservative estimate of the characters per token.
const CHARACTERS_PER_TOKEN: usize = 3;
/// The maximum number of items of a list in an answer.
const MOST_ITEMS: usize = 8;

/// The messages and the options of a call. `own` is true for a server with a custom base URL. Only such servers get length
/// limits in the schema.
pub(crate) fn prompt(
    kind: ProviderKind,
    own: bool,
    request: &ChatRequest,
    refusals: &Refusals,
) -> (chat::ChatRequest, ChatOptions) {
    let mut messages = request.messages.clone();
    let mut options = ChatOptions {
        temperature: request.temperature.filter(|_| refusals.takes_temperature()),
        max_tokens: request.max_tokens,
        ..ChatOptions::default()
    };
    if kind.uses_openai_protocol() {
        // Some local models write their reasoning into the answer.
        options.normalize_reasoning_content = Some(true);
        // Without an explicit effort, `genai` would read the end of a name such as `qwen-max` as an effort and remove it.
        // This protocol has no field for a budget, so a budget of any size sends nothing.
        options.reasoning_effort = Some(ReasoningEffort::Budget(0));
    }
    if let Some(schema) = &request.schema {
        if refusals.takes_schema() {
            let limit =
                request.max_tokens.filter(|_| own && kind.uses_openai_protocol() && refusals.takes_limits());
            options.response_format = Some(spec(schema, limit).into());
        } else {
            explain(&mut messages, schema);
        }
    }
    let messages = messages.into_iter().map(|message| match message.role {
        ChatRole::System => chat::ChatMessage::system(message.content),
        ChatRole::User => chat::ChatMessage::user(message.content),
        ChatRole::Assistant => chat::ChatMessage::assistant(message.content),
    });
    (chat::ChatRequest::new(messages.collect()), options)
}

fn spec(schema: &OutputSchema, max_tokens: Option<u32>) -> JsonSpec {
    let mut shape = schema.schema.clone();
    if let Value::Object(fields) = &mut shape {
        // The version of JSON Schema. Gemini rejects unknown keywords.
        fields.remove("$schema");
    }
    if let Some(max_tokens) = max_tokens {
        limit(&mut shape, max_tokens as usize);
    }
    JsonSpec::new(name(&schema.name), shape)
}

/// Distributes the tokens over the texts of an answer. With an enforced schema, a small model may never end a text or a
/// list, and then the other parts of the answer are missing.
fn limit(shape: &mut Value, max_tokens: usize) {
    let Some(properties) = shape.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let texts = properties.values().filter(|property| property["type"] == "string").count();
    let longest = max_tokens * CHARACTERS_PER_TOKEN / texts.max(1);
    for property in properties.values_mut() {
        if property["type"] == "string" {
            at_most(property, "maxLength", longest);
        } else if property["type"] == "array" {
            at_most(property, "maxItems", MOST_ITEMS);
            if property["items"]["type"] == "string" {
                at_most(&mut property["items"], "maxLength", longest);
            }
        }
    }
}

fn at_most(schema: &mut Value, word: &str, most: usize) {
    if schema.get(word).is_none() && schema.get("enum").is_none() {
        schema[word] = most.into();
    }
}

/// The name in the format that OpenAI requires: up to 64 letters, digits, `_` and `-`.
fn name(wanted: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = wanted.chars().map(allowed).take(64).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

/// Adds the schema as text. It is appended to a system message at the start, because some models allow only one system
/// message, and only there.
fn explain(messages: &mut Vec<ChatMessage>, schema: &OutputSchema) {
    let words = format!(
        "Answer with one JSON value and nothing else: no explanation, no code fence. It must satisfy this JSON \
         Schema:\n{}",
        schema.schema
    );
    match messages.first_mut() {
        Some(first) if first.role == ChatRole::System => {
            first.content = format!("{}\n\n{words}", first.content);
        }
        _ => messages.insert(0, ChatMessage::system(words)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_made_to_fit() {
        assert_eq!(name("lesson v2.1"), "lesson_v2_1");
        assert_eq!(name(""), "answer");
        assert_eq!(name(&"a".repeat(100)).len(), 64);
    }

    #[test]
    fn only_self_hosted_servers_get_length_limits() {
        let schema = json!({ "type": "object", "properties": {
            "summary": { "type": "string" },
            "guidance": { "type": "string", "maxLength": 9 },
            "tools": { "type": "array", "items": { "type": "string" } },
        }});
        let schema = OutputSchema { name: "lesson".to_owned(), schema };
        let request = ChatRequest { max_tokens: Some(200), schema: Some(schema), ..ChatRequest::new(vec![]) };
        let sent = |kind, own| {
            let (_, options) = prompt(kind, own, &request, &Refusals::default());
            match options.response_format {
                Some(chat::ChatResponseFormat::JsonSpec(spec)) => spec.schema["properties"].clone(),
                other => panic!("{other:?}"),
            }
        };

        let own = sent(ProviderKind::OpenAi, true);
        assert_eq!((&own["summary"]["maxLength"], &own["guidance"]["maxLength"]), (&json!(300), &json!(9)));
        assert_eq!(
            (&own["tools"]["maxItems"], &own["tools"]["items"]["maxLength"]),
            (&json!(8), &json!(300))
        );
        for properties in [sent(ProviderKind::OpenAi, false), sent(ProviderKind::Anthropic, true)] {
            assert_eq!(properties["summary"], json!({ "type": "string" }));
        }
    }

    #[test]
    fn a_schema_in_words_joins_the_systems_message() {
        let schema = OutputSchema { name: "lesson".to_owned(), schema: json!({ "type": "object" }) };
        let mut with_system = vec![ChatMessage::system("Be brief."), ChatMessage::user("Hello")];
        let mut without = vec![ChatMessage::user("Hello")];

        explain(&mut with_system, &schema);
        explain(&mut without, &schema);

        assert_eq!((with_system.len(), without.len()), (2, 2));
        assert!(with_system[0].content.starts_with("Be brief.\n\n"));
        for messages in [with_system, without] {
            assert!(messages[0].content.ends_with(r#"{"type":"object"}"#));
        }
    }
}
