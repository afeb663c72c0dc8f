//! The classification of all failures of a chat call.

use std::time::Duration;

use reflect_model::{ChatRequest, ModelError, Remedy, TextModel};
use reflect_model_providers::ProviderText;
use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Script, ScriptedProvider};
use tokio::net::TcpListener;

use crate::stub::Stub;
use crate::{KEY, chatting, full_question, impatient, question, settings};

const LATER: Remedy = Remedy::RetryLater { after: None };

async fn failure(chat: ChatBehaviour) -> ModelError {
    let (_provider, model) = chatting(EndpointScript::always(chat)).await;
    model.chat(question()).await.unwrap_err()
}

fn status(code: u16, retry_after: Option<&str>, message: &str) -> ChatBehaviour {
    let retry_after = retry_after.map(str::to_owned);
    ChatBehaviour::Status { code, retry_after, message: Some(message.to_owned()) }
}

#[tokio::test]
async fn a_closed_connection_is_retryable() {
    let error = failure(ChatBehaviour::Refuse).await;

    assert_eq!(error.remedy, LATER);
    assert!(error.message.starts_with("the connection to openai at http://127.0.0.1:"), "{error}");
}

#[tokio::test]
async fn a_refused_connection_is_retryable() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let model = ProviderText::connect(&settings(format!("http://127.0.0.1:{port}/v1"))).unwrap();

    let error = model.chat(question()).await.unwrap_err();

    assert_eq!(error.remedy, LATER);
    assert!(error.message.contains("cannot be reached: Connection refused"), "{error}");
}

#[tokio::test]
async fn a_call_ends_at_its_timeout() {
    for behaviour in [ChatBehaviour::Hang, ChatBehaviour::Trickle] {
        let script = Script { chat: EndpointScript::always(behaviour), ..Script::default() };
        let provider = ScriptedProvider::start(script).await.unwrap();
        let model = ProviderText::connect(&impatient(provider.base_url())).unwrap();

        let error = model.chat(question()).await.unwrap_err();

        assert_eq!(error.remedy, LATER);
        assert!(error.message.ends_with("gave no whole answer within 0.3 s"), "{error}");
    }
}

#[tokio::test]
async fn a_busy_provider_sets_the_wait() {
    let seven = failure(status(429, Some("7"), "slow down")).await;
    let date = failure(status(503, Some("Tue, 31 Dec 2999 23:59:59 GMT"), "")).await;
    let silent = failure(ChatBehaviour::status(500)).await;

    assert_eq!(seven.remedy, Remedy::RetryLater { after: Some(Duration::from_secs(7)) });
    assert!(seven.message.ends_with("is busy (429): slow down"), "{seven}");
    assert_eq!(date.remedy, Remedy::RetryLater { after: Some(Duration::from_secs(3600)) });
    assert_eq!(silent.remedy, LATER);
}

#[tokio::test]
async fn a_refusal_is_not_retryable_and_never_shows_the_key() {
    for code in [400, 401, 403, 404, 422] {
        let error = failure(status(code, None, &format!("your key {KEY} is wrong"))).await;

        assert_eq!(error.remedy, Remedy::DoNotRetry, "{code}");
        assert!(error.message.contains(&format!("({code})")), "{error}");
        assert!(error.message.contains("check") && !error.message.contains(KEY), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (provider, model) = chatting(EndpointScript::always(ChatBehaviour::status(307))).await;

    let error = model.chat(question()).await.unwrap_err();

    assert_eq!(error.remedy, Remedy::DoNotRetry);
    assert!(error.message.contains("redirect (307)"), "{error}");
    assert_eq!(provider.counts().chat, 1);
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_unreadable() {
    let cases = [
        (ChatBehaviour::Truncated, "gave JSON that is broken or cut off"),
        (ChatBehaviour::NotJson, "gave something else than JSON"),
        (ChatBehaviour::NoChoices, "gave an answer without text"),
        (ChatBehaviour::Text("  ".to_owned()), "gave an answer without text"),
        (ChatBehaviour::Huge, "gave an answer of more than a megabyte"),
    ];
    for (behaviour, said) in cases {
        let error = failure(behaviour).await;

        assert_eq!(error.remedy, Remedy::Unreadable, "{error}");
        assert!(error.message.contains(said), "{error}");
        assert!(error.message.len() < 300, "{error}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_in_the_middle_is_retryable() {
    let half =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"choices\":";
    let stub = Stub::sending(half.to_owned()).await;
    let model = ProviderText::connect(&settings(&stub.url)).unwrap();

    let error = model.chat(question()).await.unwrap_err();

    assert_eq!(error.remedy, LATER, "{error}");
}

#[tokio::test]
async fn text_of_another_shape_arrives_as_it_is() {
    for behaviour in [ChatBehaviour::WrongSchema, ChatBehaviour::Injection] {
        let (_provider, model) = chatting(EndpointScript::always(behaviour.clone())).await;

        let answer = model.chat(full_question()).await.unwrap();

        let expected =
            if behaviour == ChatBehaviour::WrongSchema { "weather" } else { "ignore all previous" };
        assert!(answer.text.contains(expected), "{}", answer.text);
    }
}

#[tokio::test]
async fn an_answer_that_reached_the_limit_says_so() {
    let (_provider, model) = chatting(EndpointScript::first([ChatBehaviour::CutOff])).await;

    assert!(model.chat(question()).await.unwrap().cut_off);
    assert!(!model.chat(question()).await.unwrap().cut_off);
}

#[tokio::test]
async fn a_rejected_temperature_is_omitted() {
    let refusal = status(400, None, "Unsupported value: 'temperature' does not support 0 with this model");
    let (provider, model) = chatting(EndpointScript::first([refusal])).await;

    model.chat(full_question()).await.unwrap();
    model.chat(full_question()).await.unwrap();

    let sent: Vec<bool> =
        provider.calls().iter().map(|call| call.body.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn parallel_calls_with_a_rejected_feature_are_all_retried() {
    let refusal = status(400, None, "'temperature' is not supported");
    let (provider, model) = chatting(EndpointScript::first([refusal.clone(), refusal])).await;

    let (first, second) = tokio::join!(model.chat(full_question()), model.chat(full_question()));

    assert!(first.is_ok() && second.is_ok());
    assert_eq!(provider.counts().chat, 4);
}

#[tokio::test]
async fn a_server_without_schema_support_gets_the_schema_as_text() {
    let refusal = status(422, None, "This response_format type is unavailable now");
    let (provider, model) = chatting(EndpointScript::first([refusal.clone(), refusal])).await;

    model.chat(full_question()).await.unwrap();

    let calls = provider.calls();
    assert_eq!(calls.len(), 3);
    // The first retry omits only the length limits, because the server may support the rest.
    assert!(calls[1].body.get("response_format").is_some());
    assert!(!calls[1].body.to_string().contains("maxLength"));
    assert!(calls[2].body.get("response_format").is_none());
    let system = calls[2].body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("Be brief.") && system.contains("\"summary\""), "{system}");
}

#[tokio::test]
async fn a_refusal_of_what_was_not_sent_is_final() {
    let refusal = status(400, None, "temperature and response_format are both wrong");
    let (provider, model) = chatting(EndpointScript::always(refusal)).await;

    let plain = model.chat(question()).await.unwrap_err();
    let full = model.chat(full_question()).await.unwrap_err();

    assert_eq!((plain.remedy, full.remedy), (Remedy::DoNotRetry, Remedy::DoNotRetry));
    assert_eq!(provider.counts().chat, 1 + 4);
    let without_messages = model.chat(ChatRequest::default()).await.unwrap_err();
    assert_eq!(without_messages.remedy, Remedy::DoNotRetry);
}
