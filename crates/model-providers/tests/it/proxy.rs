//! Calls through a proxy.

use reflect_model::TextModel;
use reflect_model_providers::{ProviderSettings, ProviderText};
use reflect_outbound::OutboundProxy;
use serde_json::json;

use crate::stub::Stub;
use crate::{question, settings};

fn answer() -> serde_json::Value {
    json!({ "model": "small", "choices": [{ "message": { "role": "assistant", "content": "Yes." } }] })
}

fn through(proxy: &str, except: &[String], base_url: &str) -> ProviderText {
    // The password is sent to the proxy only.
    let proxy = OutboundProxy::new(&proxy.replace("http://", "http://me:pw@"), except).unwrap();
    ProviderText::connect(&ProviderSettings { proxy: Some(proxy), ..settings(base_url) }).unwrap()
}

#[tokio::test]
async fn a_call_goes_through_the_proxy() {
    let proxy = Stub::answering(answer()).await;
    let model = through(&proxy.url, &[], "http://provider.invalid/v1");

    let said = model.chat(question()).await.unwrap();

    assert_eq!(said.text, "Yes.");
    let asked = proxy.asked().await;
    assert_eq!(asked.line, "POST http://provider.invalid/v1/chat/completions");
    assert_eq!(asked.headers["proxy-authorization"], "Basic bWU6cHc=");
}

#[tokio::test]
async fn this_machine_and_exceptions_are_reached_directly() {
    let provider = Stub::answering(answer()).await;
    let proxy = Stub::answering(answer()).await;
    let model = through(&proxy.url, &["provider.invalid".to_owned()], &format!("{}/v1", provider.url));

    model.chat(question()).await.unwrap();

    let asked = provider.asked().await;
    assert_eq!(asked.line, "POST /v1/chat/completions");
    assert!(!asked.headers.contains_key("proxy-authorization"));
    let direct = through(&proxy.url, &["provider.invalid".to_owned()], "http://provider.invalid/v1");
    let excepted = direct.chat(question());
    assert!(excepted.await.is_err(), "the name does not exist, and the proxy is not asked");
}
