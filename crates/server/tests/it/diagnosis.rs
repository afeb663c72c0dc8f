//! What the server says to whoever looks for what is wrong.

use std::sync::Arc;

use reflect_engine::Models;
use reflect_model_providers::{ProviderEmbedder, ProviderKind, ProviderSettings};
use reflect_scripted_provider::{EmbedBehaviour, EndpointScript, Script, ScriptedProvider};
use reflect_server::ServerSettings;
use reflect_test_support::TestApp;
use reflect_types::{ProjectSlug, Scope};
use serde_json::{Value, json};

#[tokio::test]
async fn whoever_asks_is_told_who_they_are_and_how_the_models_are_doing() {
    let app = TestApp::start().await;
    let project: ProjectSlug = "other".parse().unwrap();
    let key = app.new_key(Some(&project), &[Scope::MemoryRead, Scope::TraceRead]).await;

    let seen =
        app.send("GET", "/v1/projects/other/diagnosis", Some(&key), &[], None).await.expect(200).json();

    assert_eq!(seen["scopes"], json!(["memory:read", "trace:read"]));
    assert!(seen["caller"].as_str().unwrap().starts_with("key:"), "{seen}");
    assert!(seen["embedder"]["dimensions"].as_u64().unwrap() > 0, "{seen}");
    assert!(seen["embedder"]["answered_in_ms"].as_f64().is_some(), "{seen}");
    assert_eq!(seen["embedder"]["error"], Value::Null);
    // Nothing was asked of anybody who keeps a record of it.
    let retrievals: i64 = sqlx::query_scalar("select count(*) from retrieval")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(retrievals, 0);
}

#[tokio::test]
async fn a_server_without_models_says_so() {
    let app = TestApp::with_models(Models::default(), ServerSettings::default()).await;

    let seen = app.get("/diagnosis").await.expect(200).json();

    assert_eq!((&seen["text_model"], &seen["embedder"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn an_embedder_that_refuses_is_told_with_its_words() {
    let refusal = EmbedBehaviour::Status { code: 401, retry_after: None, message: None };
    let script = Script { embeddings: EndpointScript::always(refusal), ..Script::default() };
    let provider = ScriptedProvider::start(script).await.unwrap();
    let settings = ProviderSettings {
        base_url: Some(provider.base_url()),
        ..ProviderSettings::new(ProviderKind::OpenAi, "scripted")
    };
    let embedder = Arc::new(ProviderEmbedder::connect(&settings).unwrap());
    let models = Models { embedder: Some(embedder), ..Models::default() };
    let app = TestApp::with_models(models, ServerSettings::default()).await;

    let seen = app.get("/diagnosis").await.expect(200).json();

    assert_eq!(seen["embedder"]["model"], "scripted");
    assert!(seen["embedder"]["error"].as_str().unwrap().contains("401"), "{seen}");
    assert_eq!(seen["embedder"]["answered_in_ms"], Value::Null);
}
