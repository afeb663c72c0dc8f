//! API keys over HTTP.

use reflect_test_support::TestApp;
use reflect_types::Scope;
use serde_json::{Value, json};

#[tokio::test]
async fn a_new_key_works_is_listed_without_its_text_and_ends_when_revoked() {
    let app = TestApp::start().await;
    let body = json!({ "label": "reader", "scopes": ["trace:read"], "environment": "test" });
    let made = app.post("/api-keys", &body).await.expect(201).json();
    let text = made["api_key"].as_str().unwrap();
    assert!(text.starts_with("rf_test_"));
    assert_eq!(made["key"]["status"], "active");
    assert_eq!(made["key"]["is_master"], false);

    app.send("GET", &app.path("/traces"), Some(text), &[], None).await.expect(200);
    let listed = app.get("/api-keys").await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(text));
    assert_eq!(listed.json()[0]["public_id"], made["key"]["public_id"]);

    let path = format!("/api-keys/{}/revoke", made["key"]["id"].as_str().unwrap());
    assert_eq!(app.post(&path, &json!({})).await.expect(200).json()["status"], "revoked");
    let refused = app.send("GET", &app.path("/traces"), Some(text), &[], None).await.expect(401);
    assert_eq!(refused.code(), "key_revoked");
}

#[tokio::test]
async fn nobody_hands_out_what_they_do_not_have() {
    let app = TestApp::start().await;
    let manager = app.new_key(Some(&app.project), &[Scope::KeyManage, Scope::TraceRead]).await;
    let ask = |scopes: Value| json!({ "label": "l", "scopes": scopes });
    let path = app.path("/api-keys");
    app.send("POST", &path, Some(&manager), &[], Some(&ask(json!(["trace:read"])))).await.expect(201);
    let refused = app.send("POST", &path, Some(&manager), &[], Some(&ask(json!(["trace:write"])))).await;
    assert_eq!(refused.expect(403).code(), "forbidden");
    app.post("/api-keys", &ask(json!([]))).await.expect(422);
    let unknown = app.post("/api-keys", &ask(json!(["everything"]))).await.expect(422).json();
    assert!(unknown["error"]["message"].as_str().unwrap().contains("memory:read"), "{unknown}");
}

#[tokio::test]
async fn an_expired_key_says_so() {
    let app = TestApp::start().await;
    let body = |year| json!({ "label": "l", "scopes": ["trace:read"], "expires_at": format!("{year}-01-01T00:00:00Z") });
    app.post("/api-keys", &body(2020)).await.expect(422);
    let made = app.post("/api-keys", &body(2999)).await.expect(201).json();
    let key = made["api_key"].as_str().unwrap();
    sqlx::query("update api_key set expires_at = now()")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let refused = app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(401);
    assert_eq!(refused.code(), "key_expired");
}

#[tokio::test]
async fn a_key_revoked_by_another_process_ends_within_five_seconds() {
    let app = TestApp::start().await;
    let made =
        app.post("/api-keys", &json!({ "label": "l", "scopes": ["trace:read"] })).await.expect(201).json();
    let key = made["api_key"].as_str().unwrap();
    app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(200);

    sqlx::query("update api_key set revoked_at = now()")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();

    let start = std::time::Instant::now();
    while app.send("GET", &app.path("/traces"), Some(key), &[], None).await.status != 401 {
        assert!(start.elapsed().as_secs() < 5, "still accepted");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_master_key_sees_the_master_keys_and_others_do_not() {
    let app = TestApp::start().await;
    let seen =
        |answer: Value| answer.as_array().unwrap().iter().filter(|key| key["is_master"] == true).count();
    assert_eq!(seen(app.get("/api-keys").await.expect(200).json()), 0);
    let listed = app.send("GET", &app.path("/api-keys"), Some(&app.master), &[], None).await;
    assert_eq!(seen(listed.expect(200).json()), 1);
}
