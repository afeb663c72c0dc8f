//! From the port's request to `genai`'s.

use genai::chat::{self, ChatOptions, JsonSpec, ReasoningEffort};
use reflect_model::{ChatMessage, ChatRequest, ChatRole, OutputSchema};
use serde_json::Value;

use crate::ProviderKind;
use crate::refusals::Refusals;

/// The conversation and what goes with it.
pub(crate) fn prompt(
    kind: ProviderKind,
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
            options.response_format = Some(spec(schema).into());
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

fn spec(schema: &OutputSchema) -> JsonSpec {
    let mut shape = schema.schema.clone();
    if let Value::Object(fields) = &mut shape {
        // Says which edition of JSON Schema it is; Gemini takes no word that it does not know.
        fields.remove("$schema");
    }
    JsonSpec::new(name(&schema.name), shape)
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
