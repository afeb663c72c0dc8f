//! Every failure has the same envelope, and every answer names its request.

use axum::body::Body;
use axum::http::Request;
use reflect_test_support::TestApp;

#[tokio::test]
async fn every_failure_has_the_envelope_and_names_its_request() {
    let app = TestApp::start().await;
    let key = format!("Bearer {}", app.key);
    let post = |body: &'static str, kind: &str| {
        let request =
            Request::post(app.path("/traces")).header("authorization", &key).header("content-type", kind);
        request.body(Body::from(body)).unwrap()
    };
    let get = |path: &str| Request::get(path).header("authorization", &key).body(Body::empty()).unwrap();
    let put = Request::put(app.path("/traces")).body(Body::empty()).unwrap();
    for (request, status, code) in [
        (get("/nowhere"), 404, "route_not_found"),
        (get("/v1/projects"), 404, "route_not_found"),
        (get(&app.path("/traces/")), 404, "route_not_found"),
        (put, 405, "method_not_allowed"),
        (post("{", "application/json"), 400, "invalid_json"),
        (post("{}", "application/json"), 422, "invalid_request"),
        (post(r#"{"task": 1e400}"#, "application/json"), 400, "invalid_json"),
        (post(r#"[null, "task", "trajectory"]"#, "application/json"), 422, "invalid_request"),
        (post(r#"{"task": "\ud800", "trajectory": []}"#, "application/json"), 400, "invalid_json"),
        (post("{}", "text/plain"), 415, "unsupported_media_type"),
        (get(&app.path("/traces/x")), 404, "not_found"),
    ] {
        let what = format!("{} {}", request.method(), request.uri());
        let answer = app.call(request).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{what}");
        let body = answer.json();
        assert_eq!(body["error"]["request_id"].as_str(), answer.header("x-request-id"), "{what}");
        assert!(!body["error"]["message"].as_str().unwrap().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn a_callers_own_request_id_is_kept_unless_it_is_odd() {
    let app = TestApp::start().await;
    let kept = app.send("GET", "/health", None, &[("x-request-id", "run-17.a_b")], None).await;
    assert_eq!(kept.header("x-request-id"), Some("run-17.a_b"));
    for odd in ["a b", "<script>", &"x".repeat(65)] {
        let answer = app.send("GET", "/health", None, &[("x-request-id", odd)], None).await;
        assert_ne!(answer.header("x-request-id"), Some(odd));
    }
}

#[tokio::test]
async fn a_database_that_is_gone_is_said_to_be_unavailable() {
    let app = TestApp::start().await;
    app.app.engine().store.close().await;

    let answer = app.get("/traces").await.expect(503);
    assert_eq!(answer.code(), "unavailable");
    assert!(answer.header("retry-after").is_some());
    app.send("GET", "/ready/write", None, &[], None).await.expect(503);
    let ready = app.send("GET", "/ready", None, &[], None).await.expect(503);
    assert_eq!(ready.json()["status"], "unavailable");
    app.send("GET", "/health", None, &[], None).await.expect(200);
}

#[tokio::test]
async fn a_draining_server_says_so() {
    let app = TestApp::start().await;
    assert_eq!(app.send("GET", "/ready", None, &[], None).await.expect(200).json()["status"], "ready");
    app.app.start_draining();
    assert_eq!(app.send("GET", "/ready", None, &[], None).await.expect(503).json()["status"], "draining");
}
