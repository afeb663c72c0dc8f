//! The first key of an installation.

use reflect_test_support::{TestApp, TestResponse};
use serde_json::json;

async fn bootstrap(app: &TestApp, token: &str) -> TestResponse {
    let body = json!({ "user_id": "ana", "project_id": "first", "key_label": "Default Admin Key", "environment": "live" });
    app.send("POST", "/v1/bootstrap", None, &[("x-bootstrap-token", token)], Some(&body)).await
}

#[tokio::test]
async fn the_token_makes_a_master_key_once() {
    let app = TestApp::start().await;
    assert_eq!(
        bootstrap(&app, TestApp::BOOTSTRAP_TOKEN).await.expect(409).code(),
        "conflict",
        "has a master key"
    );
    sqlx::query("delete from api_key").execute(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(bootstrap(&app, "a guess").await.expect(401).code(), "unauthorized");
    assert_eq!(bootstrap(&app, "").await.expect(401).code(), "unauthorized");

    let made = bootstrap(&app, TestApp::BOOTSTRAP_TOKEN).await.expect(201).json();
    assert_eq!((made["user_id"].as_str(), made["project_id"].as_str()), (Some("ana"), Some("first")));
    let key = made["api_key"].as_str().unwrap();
    app.send("GET", "/v1/projects/first/traces", Some(key), &[], None).await.expect(200);
    app.send("GET", "/v1/projects/another/traces", Some(key), &[], None).await.expect(200);

    assert_eq!(bootstrap(&app, TestApp::BOOTSTRAP_TOKEN).await.expect(409).code(), "conflict");
}
