//! The clients over real HTTP: requests, responses and failures.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod chat_faults;
mod embeddings;
mod offered;
mod protocols;
mod proxy;
mod requests;
mod stub;

use std::time::Duration;

use reflect_model::{ChatMessage, ChatRequest, OutputSchema};
use reflect_model_providers::{ProviderEmbedder, ProviderKind, ProviderSettings, ProviderText};
use reflect_scripted_provider::{ChatBehaviour, EmbedBehaviour, EndpointScript, Script, ScriptedProvider};
use serde_json::json;

const KEY: &str = "sk-test-0123456789";

/// Settings with a key for a server with the OpenAI protocol.
fn settings(base_url: impl Into<String>) -> ProviderSettings {
    let mut settings = ProviderSettings::new(ProviderKind::OpenAi, "small");
    settings.base_url = Some(base_url.into());
    settings.api_key = Some(KEY.into());
    settings
}

/// A provider with this behaviour for every chat call, and a client for it.
async fn chatting(chat: EndpointScript<ChatBehaviour>) -> (ScriptedProvider, ProviderText) {
    let provider = ScriptedProvider::start(Script { chat, ..Script::default() }).await.unwrap();
    let model = ProviderText::connect(&settings(provider.base_url())).unwrap();
    (provider, model)
}

/// A provider with this behaviour for embedding calls, and a client for it.
async fn embedding(embeddings: EndpointScript<EmbedBehaviour>) -> (ScriptedProvider, ProviderEmbedder) {
    let provider =
        ScriptedProvider::start(Script { embeddings, dimension: 16, ..Script::default() }).await.unwrap();
    let embedder = ProviderEmbedder::connect(&settings(provider.base_url())).unwrap();
    (provider, embedder)
}

/// Long enough for the loopback address, short enough for a test.
fn impatient(base_url: impl Into<String>) -> ProviderSettings {
    ProviderSettings { timeout: Duration::from_millis(300), ..settings(base_url) }
}

fn question() -> ChatRequest {
    ChatRequest::new(vec![ChatMessage::system("Be brief."), ChatMessage::user("Task: book a table")])
}

/// A request with all optional fields.
fn full_question() -> ChatRequest {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "summary": { "type": "string" } },
        "required": ["summary"],
    });
    ChatRequest {
        schema: Some(OutputSchema { name: "lesson v1".to_owned(), schema }),
        max_tokens: Some(500),
        temperature: Some(0.0),
        ..question()
    }
}
