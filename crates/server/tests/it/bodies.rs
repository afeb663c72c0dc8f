//! Bodies that are too large, too deep or packed.

use axum::body::Body;
use axum::http::Request;
use reflect_server::{Limits, ServerSettings};
use reflect_test_support::{TestApp, trace};
use serde_json::json;

async fn small() -> TestApp {
    let limits = Limits { body_bytes: 64 * 1024, ..Limits::default() };
    TestApp::with(ServerSettings { limits, ..ServerSettings::default() }).await
}

fn post(app: &TestApp, body: Vec<u8>, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::post(app.path("/traces"))
        .header("authorization", format!("Bearer {}", app.key))
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body)).unwrap()
}

fn large() -> Vec<u8> {
    let mut body = trace();
    body["final_response"] = json!("x".repeat(100 * 1024));
    body.to_string().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_and_without_its_length() {
    let app = small().await;
    let length = large().len().to_string();
    for headers in [&[("content-length", length.as_str())][..], &[]] {
        let answer = app.call(post(&app, large(), headers)).await.expect(413);
        assert_eq!(answer.code(), "payload_too_large");
    }
}

#[tokio::test]
async fn a_packed_body_is_read_and_its_unpacked_size_counts() {
    let app = small().await;
    app.call(post(&app, gzip(trace().to_string().as_bytes()), &[("content-encoding", "gzip")]))
        .await
        .expect(201);

    let bomb = gzip(&large());
    assert!(bomb.len() < 1024);
    let answer = app.call(post(&app, bomb, &[("content-encoding", "gzip")])).await.expect(413);
    assert_eq!(answer.code(), "payload_too_large");

    let broken = app.call(post(&app, b"no gzip".to_vec(), &[("content-encoding", "gzip")])).await.expect(400);
    assert_eq!(broken.code(), "invalid_body");
}

#[tokio::test]
async fn a_body_that_is_nested_too_deep_is_refused_and_harms_nobody() {
    let app = TestApp::start().await;
    for depth in [129, 200_000] {
        let nested = format!(r#"{{"task":"t","trajectory":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let answer = app.call(post(&app, nested.into_bytes(), &[])).await.expect(422);
        assert!(answer.json()["error"]["message"].as_str().unwrap().contains("128"));
    }
    let fine = format!(r#"{{"task":"t","trajectory":[{{"a":{}{}}}]}}"#, "[".repeat(100), "]".repeat(100));
    app.call(post(&app, fine.into_bytes(), &[])).await.expect(201);
}

/// A gzip body of a few kilobytes, which would take a gigabyte when it is parsed.
#[tokio::test]
async fn json_is_limited_by_the_number_of_its_values() {
    let app = TestApp::start().await;
    let query = |filter: String| format!(r#"{{"task":"t","metadata_filter":{{"a":{filter}}}}}"#);
    let arrays = |count: usize| format!("[[]{}]", ",[]".repeat(count));
    let send = |path: &str, body: String| {
        let request = Request::post(app.path(path))
            .header("authorization", format!("Bearer {}", app.key))
            .header("content-type", "application/json")
            .header("content-encoding", "gzip");
        app.call(request.body(Body::from(gzip(body.as_bytes()))).unwrap())
    };
    send("/memory/query", query(arrays(10))).await.expect(200);
    let refused = send("/memory/query", query(arrays(1_000))).await.expect(422);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("1000 values"));
    send("/memory/query", query(arrays(100_000))).await.expect(422);
    assert_eq!(send("/memory/query", query(arrays(500_000))).await.expect(413).code(), "payload_too_large");

    let run = |trajectory: String| format!(r#"{{"task":"t","trajectory":{trajectory}}}"#);
    send("/traces", run(format!("[{{\"a\":{}}}]", arrays(1_000)))).await.expect(201);
    let refused = send("/traces", run(arrays(600_000))).await.expect(422);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("at most 1000000"));
}

#[tokio::test]
async fn unknown_fields_are_ignored_and_named_in_a_header() {
    let app = TestApp::start().await;
    let mut run = trace();
    assert_eq!(app.post("/traces", &run).await.expect(201).header("reflect-warning"), None);

    run["reviw"] = json!({ "result": "pass" });
    run["metadata"] = json!({ "reviw": 1 });
    let answer = app.post("/traces", &run).await.expect(201);
    assert_eq!(
        answer.header("reflect-warning"),
        Some("unknown fields: reviw (did you mean review?)"),
        "of the body and not of its metadata"
    );

    let batch = json!({ "traces": [run, run], "dry_run": true });
    let answer = app.post("/traces/batch", &batch).await.expect(200);
    let named = answer.header("reflect-warning").unwrap();
    assert_eq!(named, "unknown fields: traces[].reviw (did you mean review?), dry_run");
}

#[tokio::test]
async fn a_refused_body_has_the_warning_too() {
    let app = TestApp::start().await;
    let mut run = trace();
    run["review"] = json!({ "reslt": "pass" });
    let answer = app.post("/traces", &run).await.expect(422);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("missing field `result`"));
    let named = answer.header("reflect-warning").unwrap();
    assert_eq!(named, "unknown fields: review.reslt (did you mean result?)");
}

#[tokio::test]
async fn a_long_answer_is_packed_for_those_who_take_it() {
    let app = TestApp::start().await;
    let mut body = trace();
    body["final_response"] = json!("again ".repeat(1000));
    app.post("/traces", &body).await.expect(201);
    let plain = app.get("/traces").await.expect(200);
    let packed = app
        .send("GET", &app.path("/traces"), Some(&app.key), &[("accept-encoding", "gzip, deflate")], None)
        .await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.bytes.len() * 2 < plain.bytes.len());
}
