//! `?wait=`: the answer comes when there is one, or when the time is up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_test_support::{TestApp, trace};
use serde_json::json;

#[tokio::test]
async fn a_settled_trace_is_answered_at_once() {
    let app = TestApp::start().await;
    let id = app.given_trace().await;
    let start = Instant::now();
    app.get(&format!("/traces/{id}?wait=50")).await.expect(200);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_queued_trace_is_answered_as_it_is_when_the_time_is_up() {
    let app = TestApp::start().await;
    let mut body = trace();
    body["review"] = json!({ "result": "pass" });
    let id = app.post("/traces", &body).await.expect(202).json()["id"].as_str().unwrap().to_owned();
    let start = Instant::now();
    let read = app.get(&format!("/traces/{id}?wait=1")).await.expect(200).json();
    assert_eq!(read["ingest_status"], "queued");
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_trace_that_comes_while_somebody_waits_is_answered() {
    let app = Arc::new(TestApp::start().await);
    let mut body = trace();
    let id = uuid::Uuid::now_v7();
    body["trace_id"] = json!(id);

    let waiting = {
        let app = app.clone();
        async move { app.get(&format!("/traces/{id}?wait=50")).await }
    };
    let storing = async { app.post("/traces", &body).await };
    let (answer, stored) = tokio::join!(waiting, storing);

    stored.expect(201);
    assert_eq!(answer.expect(200).json()["id"], json!(id));
}

#[tokio::test]
async fn nobody_waits_for_what_never_comes() {
    let app = TestApp::start().await;
    app.get(&format!("/traces/{}?wait=0", uuid::Uuid::now_v7())).await.expect(404);
    app.get(&format!("/traces/{}?wait=soon", uuid::Uuid::now_v7())).await.expect(422);
}
