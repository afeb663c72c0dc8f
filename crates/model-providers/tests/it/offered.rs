//! The list of models of a server.

use reflect_model_providers::offered_models;
use serde_json::json;

use crate::stub::Stub;
use crate::{KEY, impatient, settings};

#[tokio::test]
async fn a_server_is_asked_for_its_models_with_the_key() {
    let stub = Stub::answering(json!({ "data": [{ "id": "small" }, { "id": "large" }] })).await;

    let offered = offered_models(&settings(format!("{}/v1", stub.url))).await;

    assert_eq!(offered, Ok(Some(vec!["small".to_owned(), "large".to_owned()])));
    let asked = stub.asked().await;
    assert_eq!(asked.line, "GET /v1/models");
    assert_eq!(asked.headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn a_server_that_is_not_there_or_refuses_offers_nothing() {
    let refusing = Stub::sending("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned()).await;

    let refused = offered_models(&settings(format!("{}/v1", refusing.url))).await;
    let absent = offered_models(&impatient("http://127.0.0.1:9/v1")).await;

    assert_eq!((refused, absent), (Ok(None), Ok(None)));
}
