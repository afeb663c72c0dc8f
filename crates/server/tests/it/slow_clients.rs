//! Clients that send slowly, with and without a key: they hold nothing that others need.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use futures::future::join_all;
use futures::stream;
use reflect_server::{Limits, ServerSettings};
use reflect_test_support::{TestApp, trace};
use tokio::sync::Semaphore;

/// Room for one request and one body.
async fn tight() -> TestApp {
    let limits = Limits {
        requests: 1,
        body_bytes: 64 * 1024,
        buffered_bytes: 64 * 1024,
        body_time: Duration::from_millis(500),
        ..Limits::default()
    };
    TestApp::with(ServerSettings { limits, ..ServerSettings::default() }).await
}

/// A body that never ends. Adds a permit when the server starts to read it.
fn endless(started: &Arc<Semaphore>) -> Body {
    let started = started.clone();
    Body::from_stream(stream::once(async move {
        started.add_permits(1);
        pending::<Result<Bytes, std::io::Error>>().await
    }))
}

#[tokio::test]
async fn without_a_key_a_slow_body_holds_nothing() {
    let app = tight().await;
    let started = Arc::new(Semaphore::new(0));
    let slow = ["/login", "/setup", "/logout", "/v1/bootstrap"].map(|path| {
        let kind =
            if path.starts_with("/v1") { "application/json" } else { "application/x-www-form-urlencoded" };
        app.call(Request::post(path).header("content-type", kind).body(endless(&started)).unwrap())
    });
    let working = async {
        let _all = started.acquire_many(4).await.unwrap();
        app.post("/traces", &trace()).await.expect(201);
    };
    let (slow, ()) = tokio::join!(join_all(slow), working);
    for answer in slow {
        assert_eq!(answer.expect(408).code(), "body_timeout");
    }
}

#[tokio::test]
async fn without_a_key_a_body_is_small() {
    let app = TestApp::start().await;
    for path in ["/login", "/setup", "/logout"] {
        let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        let body = Body::from(format!("t={}", "x".repeat(20_000)));
        assert_eq!(app.call(request.body(body).unwrap()).await.expect(413).code(), "payload_too_large");
    }
    let body = serde_json::json!({ "user_id": "x".repeat(20_000), "project_id": "p" });
    app.send("POST", "/v1/bootstrap", None, &[], Some(&body)).await.expect(413);
}

#[tokio::test]
async fn with_a_wrong_key_the_body_is_not_read() {
    let app = tight().await;
    for key in ["rf_live_nothing", ""] {
        let request = Request::post(app.path("/traces"))
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json");
        let answered = app.call(request.body(endless(&Arc::new(Semaphore::new(0)))).unwrap());
        tokio::time::timeout(Duration::from_millis(400), answered).await.unwrap().expect(401);
    }
}

/// Exporters drop a batch after 408.
#[tokio::test]
async fn an_exporter_with_a_slow_body_is_told_to_try_again() {
    let app = tight().await;
    let request = Request::post("/otlp/v1/traces")
        .header("authorization", format!("Bearer {}", app.key))
        .header("content-type", "application/json");
    let slow = app.call(request.body(endless(&Arc::new(Semaphore::new(0)))).unwrap()).await.expect(503);
    assert_eq!(slow.header("retry-after"), Some("5"));
    assert!(slow.json()["message"].as_str().unwrap().contains("too slowly"));
}

#[tokio::test]
async fn with_a_key_a_slow_body_takes_no_slot() {
    let app = tight().await;
    let started = Arc::new(Semaphore::new(0));
    let request = Request::post(app.path("/traces"))
        .header("authorization", format!("Bearer {}", app.key))
        .header("content-type", "application/json");
    let slow = app.call(request.body(endless(&started)).unwrap());
    let working = async {
        let _read = started.acquire().await.unwrap();
        app.post("/traces", &trace()).await.expect(201);
    };
    let (slow, ()) = tokio::join!(slow, working);
    assert_eq!(slow.expect(408).code(), "body_timeout");
}
