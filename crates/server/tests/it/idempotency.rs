//! `Idempotency-Key` on every POST.

use reflect_test_support::{TestApp, trace};
use serde_json::json;

#[tokio::test]
async fn a_repeated_call_gets_the_first_answer_and_has_no_second_effect() {
    let app = TestApp::start().await;
    let first = app.post_once("/traces", "k1", &trace()).await.expect(201).json();
    let second = app.post_once("/traces", "k1", &trace()).await.expect(201).json();
    assert_eq!(first, second);

    let batch = json!({ "traces": [trace(), trace()] });
    let first = app.post_once("/traces/batch", "k2", &batch).await.expect(200).json();
    assert_eq!(app.post_once("/traces/batch", "k2", &batch).await.expect(200).json(), first);

    let deletion = json!({ "trace_ids": [first["results"][0]["id"]] });
    let deleted = app.post_once("/traces/delete", "k3", &deletion).await.expect(200).json();
    assert_eq!(deleted["deleted"], 1);
    assert_eq!(app.post_once("/traces/delete", "k3", &deletion).await.expect(200).json(), deleted);

    assert_eq!(app.get("/traces").await.expect(200).json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_key_cannot_be_used_for_another_call() {
    let app = TestApp::start().await;
    app.post_once("/traces", "k", &trace()).await.expect(201);
    let mut other = trace();
    other["task"] = json!("another");
    let refused = app.post_once("/traces", "k", &other).await.expect(422);
    assert_eq!(refused.code(), "idempotency_key_reused");
    let elsewhere = app.post_once("/traces/delete", "k", &json!({ "trace_ids": [] })).await.expect(422);
    assert_eq!(elsewhere.code(), "idempotency_key_reused");
}

#[tokio::test]
async fn a_new_keys_text_is_not_given_twice() {
    let app = TestApp::start().await;
    let body = json!({ "label": "l", "scopes": ["trace:read"] });
    app.post_once("/api-keys", "k", &body).await.expect(201);
    assert_eq!(app.post_once("/api-keys", "k", &body).await.expect(409).code(), "answer_not_kept");
    let stored: String =
        sqlx::query_scalar("select coalesce(string_agg(answer::text, ''), '') from idempotency")
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
    assert!(!stored.contains("rf_"), "{stored}");
}

#[tokio::test]
async fn revoking_is_repeated_without_harm() {
    let app = TestApp::start().await;
    let body = json!({ "label": "l", "scopes": ["trace:read"] });
    let made = app.post("/api-keys", &body).await.expect(201).json();
    let path = format!("/api-keys/{}/revoke", made["key"]["id"].as_str().unwrap());
    let first = app.post_once(&path, "k", &json!({})).await.expect(200).json();
    assert_eq!(app.post_once(&path, "k", &json!({})).await.expect(200).json(), first);
}

#[tokio::test]
async fn a_key_has_a_sensible_length() {
    let app = TestApp::start().await;
    app.post_once("/traces", "", &trace()).await.expect(422);
    app.post_once("/traces", &"k".repeat(256), &trace()).await.expect(422);
    app.post_once("/traces", &"k".repeat(255), &trace()).await.expect(201);
}
