//! What is too much is sent away at once.

use std::sync::Arc;
use std::time::Duration;

use reflect_server::{Limits, ServerSettings};
use reflect_test_support::{TestApp, trace};
use serde_json::json;

async fn with(limits: Limits) -> TestApp {
    TestApp::with(ServerSettings { limits, ..ServerSettings::default() }).await
}

#[tokio::test]
async fn a_full_server_sends_requests_away_and_still_answers_probes() {
    let app = with(Limits { requests: 0, ..Limits::default() }).await;
    let refused = app.post("/traces", &trace()).await.expect(503);
    assert_eq!(refused.code(), "overloaded");
    assert_eq!(refused.header("retry-after"), Some("1"));
    app.send("GET", "/health", None, &[], None).await.expect(200);
    app.send("GET", "/ready", None, &[], None).await.expect(200);
}

#[tokio::test]
async fn bodies_that_would_not_fit_into_memory_are_sent_away() {
    let app = with(Limits { buffered_bytes: 8 * 1024, ..Limits::default() }).await;
    let mut body = trace();
    let headers = |body: &serde_json::Value| body.to_string().len().to_string();
    let path = app.path("/traces");
    let length = headers(&body);
    app.send("POST", &path, Some(&app.key), &[("content-length", &length)], Some(&body)).await.expect(201);
    body["final_response"] = json!("x".repeat(20_000));
    let length = headers(&body);
    let refused = app.send("POST", &path, Some(&app.key), &[("content-length", &length)], Some(&body)).await;
    assert_eq!(refused.expect(503).code(), "overloaded");
}

#[tokio::test]
async fn those_who_wait_do_not_take_the_room_of_those_who_work() {
    let app = Arc::new(with(Limits { requests: 1, waiting: 1, ..Limits::default() }).await);
    let path = format!("/traces/{}?wait=1", uuid::Uuid::now_v7());
    let (first, second, working) =
        tokio::join!(app.get(&path), app.get(&path), async { app.post("/traces", &trace()).await });
    working.expect(201);
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [404, 503]);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_ended() {
    let app = with(Limits { request_time: Duration::ZERO, ..Limits::default() }).await;
    assert_eq!(app.get("/traces").await.expect(504).code(), "timeout");
}

#[tokio::test]
async fn a_reverse_proxy_leaves_the_prefix_on_or_takes_it_off() {
    for (stripped, right, wrong) in [(false, "/pre/fix", ""), (true, "", "/pre/fix")] {
        let settings = ServerSettings {
            base_path: "/pre/fix".into(),
            base_path_stripped: stripped,
            ..ServerSettings::default()
        };
        let app = TestApp::with(settings).await;
        let get = |prefix: &str, path: &str| {
            let path = format!("{prefix}{path}");
            let (app, key) = (&app, app.key.clone());
            async move { app.send("GET", &path, Some(&key), &[], None).await }
        };
        get(right, &app.path("/traces?limit=1")).await.expect(200);
        // A proxy that takes the prefix off and denies `/pre/fix/metrics` would forward this form of it.
        get(wrong, &app.path("/traces?limit=1")).await.expect(404);
        get(&format!("{right}{right}"), "/metrics").await.expect(if stripped { 200 } else { 404 });
        get("", "/health").await.expect(200);
        let description = get(right, "/openapi.json").await.expect(200).json();
        assert_eq!(description["servers"][0]["url"], "/pre/fix");
    }
}

#[tokio::test]
async fn a_path_has_one_form() {
    let app = TestApp::start().await;
    for path in ["//health", "/v1/../health", "/./health", "/%2e/health", "/%2E./health"] {
        let refused = app.send("GET", path, None, &[], None).await.expect(404);
        assert_eq!(refused.code(), "route_not_found", "{path}");
    }
}

#[tokio::test]
async fn browsers_are_told_to_use_tls_if_the_server_does() {
    let https = ServerSettings { public_url: Some("https://a.example".into()), ..ServerSettings::default() };
    let http = ServerSettings { public_url: Some("http://a.example".into()), ..ServerSettings::default() };
    let own = ServerSettings { tls: true, ..ServerSettings::default() };
    for (settings, expected) in
        [(https, Some("max-age=31536000")), (own, Some("max-age=31536000")), (http, None)]
    {
        let app = TestApp::with(settings).await;
        let health = app.send("GET", "/health", None, &[], None).await.expect(200);
        assert_eq!(health.header("strict-transport-security"), expected);
    }
}
