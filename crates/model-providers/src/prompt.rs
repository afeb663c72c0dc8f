//! From the port's request to `genai`'s.

use genai::chat::{self, ChatOptions, JsonSpec, ReasoningEffort};
use reflect_model::{ChatMessage, ChatRequest, ChatRole, OutputSchema};
use serde_json::Value;

use crate::ProviderKind;
use crate::refusals::Refusals;

/// How many characters one token stands for, to be on the safe side.
const CHARACTERS_PER_TOKEN: usize = 3;
/// No list that we ask for is longer.
const MOST_ITEMS: usize = 8;

/// The conversation and what goes with it. Only `own` servers, which are not the provider's, are told how long
/// the parts of an answer may be.
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
    if kind.speaks_openai() {
        // Some local models think aloud in the answer itself.
        options.normalize_reasoning_content = Some(true);
        // Without an effort the end of a name such as `qwen-max` would be cut off and sent as one. A budget is
        // an effort that this protocol has no word for, so that nothing is sent at all.
        options.reasoning_effort = Some(ReasoningEffort::Budget(0));
    }
    if let Some(schema) = &request.schema {
        if refusals.takes_schema() {
            let limit = request.max_tokens.filter(|_| own && kind.speaks_openai() && refusals.takes_limits());
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
        // Says which edition of JSON Schema it is; Gemini takes no word that it does not know.
        fields.remove("$schema");
    }
    if let Some(max_tokens) = max_tokens {
        limit(&mut shape, max_tokens as usize);
    }
    JsonSpec::new(name(&schema.name), shape)
}

/// Shares the tokens out among the texts of an answer. A small model that is held to a schema may never end a
/// text or a list by itself, and then no other part of the answer is ever written.
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

/// The name as OpenAI demands it: up to 64 letters, digits, `_` and `-`.
fn name(wanted: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = wanted.chars().map(allowed).take(64).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

/// The schema in words. In the first message where that is the system's: some models allow one of those only,
/// and only there.
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
    fn only_servers_of_ones_own_are_told_how_long_an_answer_may_be() {
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
