//! The provider over a real socket, without any client library in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::time::Duration;

use reflect_scripted_provider::{
    CallKind, ChatBehaviour, EmbedBehaviour, EndpointScript, Script, ScriptedProvider,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The complete response on a new connection.
async fn send(provider: &ScriptedProvider, method: &str, path: &str, body: &Value) -> String {
    let mut stream = ask(provider, method, path, body).await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A connection on which a request has been sent.
async fn ask(provider: &ScriptedProvider, method: &str, path: &str, body: &Value) -> TcpStream {
    let address = provider.url().strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let body = body.to_string();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer k\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn json_of(provider: &ScriptedProvider, method: &str, path: &str, body: &Value) -> Value {
    let answer = send(provider, method, path, body).await;
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn question(text: &str) -> Value {
    json!({ "model": "m", "messages": [{ "role": "user", "content": text }] })
}

#[tokio::test]
async fn a_schema_is_filled_in_and_the_call_is_recorded() {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();
    let mut request = question("Task: book a table");
    request["response_format"] = json!({ "type": "json_schema", "json_schema": { "name": "lesson", "schema": {
        "type": "object", "properties": { "key_mistake": { "type": "string" } } } } });

    let answer = json_of(&provider, "POST", "/v1/chat/completions", &request).await;

    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(text).unwrap(),
        json!({ "key_mistake": "Key mistake: book a table" })
    );
    assert_eq!(answer["usage"]["prompt_tokens"], 4);
    let calls = provider.calls();
    assert_eq!((calls[0].kind, calls[0].behaviour.as_str()), (CallKind::Chat, "answer"));
    assert_eq!(calls[0].headers["authorization"], "Bearer k");
    assert_eq!(calls[0].body, request);
}

#[tokio::test]
async fn a_refused_call_gets_no_response() {
    let chat = EndpointScript::first([ChatBehaviour::Refuse]);
    let provider = ScriptedProvider::start(Script { chat, ..Script::default() }).await.unwrap();

    let refused = send(&provider, "POST", "/v1/chat/completions", &question("hello")).await;
    let answered = send(&provider, "POST", "/v1/chat/completions", &question("hello")).await;

    assert_eq!(refused, "");
    assert!(answered.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn errors_have_the_values_of_the_script() {
    let busy =
        ChatBehaviour::Status { code: 429, retry_after: Some("2".into()), message: Some("too much".into()) };
    let provider =
        ScriptedProvider::start(Script { chat: EndpointScript::always(busy), ..Script::default() })
            .await
            .unwrap();

    let answer = send(&provider, "POST", "/v1/chat/completions", &question("hello")).await;

    assert!(answer.starts_with("HTTP/1.1 429"));
    assert!(answer.contains("retry-after: 2\r\n"));
    assert!(answer.contains("too much"));
}

#[tokio::test]
async fn a_trickle_sends_its_first_byte_and_then_waits() {
    let chat = EndpointScript::always(ChatBehaviour::Trickle);
    let provider = ScriptedProvider::start(Script { chat, ..Script::default() }).await.unwrap();
    let mut stream = ask(&provider, "POST", "/v1/chat/completions", &question("hello")).await;

    let mut seen = Vec::new();
    let first_byte = async {
        while !seen.ends_with(b"\r\n1\r\n{\r\n") {
            seen.push(stream.read_u8().await.unwrap());
        }
    };
    tokio::time::timeout(Duration::from_secs(10), first_byte).await.unwrap();

    let rest = tokio::time::timeout(Duration::from_millis(100), stream.read_u8()).await;
    assert!(rest.is_err());
}

#[tokio::test]
async fn vectors_have_the_dimension_and_number_of_the_script() {
    let embeddings = EndpointScript::first([
        EmbedBehaviour::Answer,
        EmbedBehaviour::Fewer,
        EmbedBehaviour::WrongDimension,
    ]);
    let provider =
        ScriptedProvider::start(Script { embeddings, dimension: 8, ..Script::default() }).await.unwrap();
    let request = json!({ "model": "m", "input": ["one", "two"], "encoding_format": "float" });

    let mut shapes = Vec::new();
    for _ in 0..3 {
        let answer = json_of(&provider, "POST", "/v1/embeddings", &request).await;
        let data = answer["data"].as_array().unwrap();
        shapes.push((data.len(), data[0]["embedding"].as_array().unwrap().len()));
    }

    assert_eq!(shapes, [(2, 8), (1, 8), (2, 9)]);
}

#[tokio::test]
async fn another_process_can_change_the_script_and_count_the_calls() {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();

    let accepted =
        send(&provider, "PUT", "/script", &json!({ "chat": { "default": { "text": "yes" } } })).await;
    let refused = send(&provider, "PUT", "/script", &json!({ "chat": { "defualt": "hang" } })).await;
    let answer = json_of(&provider, "POST", "/v1/chat/completions", &question("hello")).await;
    let counts = json_of(&provider, "GET", "/calls", &Value::Null).await;

    assert!(accepted.starts_with("HTTP/1.1 200") && refused.starts_with("HTTP/1.1 400"));
    assert_eq!(answer["choices"][0]["message"]["content"], "yes");
    assert_eq!(counts["chat"], 1);
    assert_eq!(counts["behaviours"]["chat"], json!({ "text": 1 }));
}

#[tokio::test]
async fn nothing_listens_once_it_is_dropped() {
    let chat = EndpointScript::always(ChatBehaviour::Hang);
    let provider = ScriptedProvider::start(Script { chat, ..Script::default() }).await.unwrap();
    let address = provider.url().strip_prefix("http://").unwrap().to_owned();
    let mut hanging = ask(&provider, "POST", "/v1/chat/completions", &question("hello")).await;

    drop(provider);

    // The listener is closed when the runtime drops its task.
    while TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // Closed or reset, depending on the progress of the request.
    let mut rest = Vec::new();
    let _ = hanging.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
}
