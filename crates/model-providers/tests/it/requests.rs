//! The requests to servers with the OpenAI protocol.

use std::process::Command;

use reflect_model::{TextModel, Usage};
use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText};
use reflect_scripted_provider::{CallKind, ChatBehaviour, EndpointScript, Script, ScriptedProvider};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::{KEY, chatting, full_question, question, settings};

#[tokio::test]
async fn a_chat_call_is_sent_as_openai_documents_it() {
    let (provider, model) = chatting(EndpointScript::default()).await;

    model.chat(full_question()).await.unwrap();

    let calls = provider.calls();
    let call = &calls[0];
    assert_eq!((call.kind, call.path.as_str()), (CallKind::Chat, "/v1/chat/completions"));
    assert_eq!(call.headers["authorization"], format!("Bearer {KEY}"));
    assert!(call.headers["user-agent"].starts_with("reflect/"));
    assert!(!call.headers.contains_key("accept-encoding"));
    assert_eq!(
        call.body,
        json!({
            "model": "small",
            "stream": false,
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Task: book a table" },
            ],
            "response_format": { "type": "json_schema", "json_schema": {
                "name": "lesson_v1",
                "strict": true,
                "schema": {
                    "type": "object",
                    "properties": { "summary": { "type": "string", "maxLength": 1500 } },
                    "required": ["summary"],
                    "additionalProperties": false,
                },
            } },
            "max_tokens": 500,
            "temperature": 0.0,
        })
    );
}

#[tokio::test]
async fn the_answer_carries_text_model_and_usage() {
    let (_provider, model) =
        chatting(EndpointScript::always(ChatBehaviour::Text("Yes, I can.".to_owned()))).await;

    let answer = model.chat(question()).await.unwrap();

    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("Yes, I can.", "small"));
    assert_eq!(answer.usage, Usage { input_tokens: 6, output_tokens: 3 });
    assert!(!answer.cut_off);
}

#[tokio::test]
async fn thoughts_are_not_part_of_the_answer() {
    let thinking = "<think>Is this a trick?</think>\n{\"summary\": \"no\"}";
    let (_provider, model) = chatting(EndpointScript::always(ChatBehaviour::Text(thinking.to_owned()))).await;

    assert_eq!(model.chat(question()).await.unwrap().text, "{\"summary\": \"no\"}");
}

#[tokio::test]
async fn a_model_keeps_its_whole_name() {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();
    for name in ["qwen-max", "some-model-low", "library::model", "org/model:latest"] {
        let model = ProviderText::connect(&ProviderSettings {
            model: name.to_owned(),
            ..settings(provider.base_url())
        });

        let answer = model.unwrap().chat(question()).await.unwrap();

        let body = provider.calls().pop().unwrap().body;
        assert_eq!((body["model"].as_str(), answer.model.as_str()), (Some(name), name));
        assert!(body.get("reasoning_effort").is_none());
    }
}

#[tokio::test]
async fn a_server_that_needs_no_key_gets_none() {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();
    for kind in [ProviderKind::OpenAi, ProviderKind::Ollama] {
        let mut settings = ProviderSettings::new(kind, "small");
        settings.base_url = Some(provider.base_url());

        ProviderText::connect(&settings).unwrap().chat(question()).await.unwrap();

        let call = provider.calls().pop().unwrap();
        assert_eq!(call.path, "/v1/chat/completions");
        assert!(!call.headers.contains_key("authorization"));
    }
}

#[test]
fn the_environment_changes_nothing() {
    // The test above, in a process with proxy and provider variables in its environment.
    let nowhere = "http://127.0.0.1:9";
    let variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL", "OLLAMA_HOST"];
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "requests::a_server_that_needs_no_key_gets_none"])
        .envs(variables.map(|name| (name, nowhere)))
        .env("OPENAI_API_KEY", "sk-of-somebody-else")
        .env_remove("NO_PROXY")
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn the_query_of_a_base_url_stays_with_the_call() {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();
    for key in [None, Some(KEY)] {
        let mut settings = settings(format!("{}?api-version=1", provider.base_url()));
        settings.api_key = key.map(Into::into);

        ProviderText::connect(&settings).unwrap().chat(question()).await.unwrap();

        assert_eq!(provider.calls().pop().unwrap().path, "/v1/chat/completions?api-version=1");
    }
}

#[tokio::test]
async fn https_begins_with_a_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let model = ProviderText::connect(&settings(url)).unwrap();

    let first_byte = async { listener.accept().await.unwrap().0.read_u8().await.unwrap() };
    let (error, first_byte) = tokio::join!(model.chat(question()), first_byte);

    // 22 opens a TLS handshake.
    assert_eq!(first_byte, 22);
    assert!(error.is_err());
}
