//! Requests to a test application and their responses.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::app::TestApp;

/// A response.
#[derive(Debug)]
pub struct TestResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as sent.
    pub bytes: Vec<u8>,
}

impl TestResponse {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| {
            panic!("{}: {error}: {}", self.status, String::from_utf8_lossy(&self.bytes))
        })
    }

    /// Fails the test unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        let body = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status.as_u16(), status, "{}", body.chars().take(500).collect::<String>());
        self
    }

    /// The code of an error's body.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// A header, as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// The smallest valid body of a new trace.
pub fn trace() -> Value {
    json!({
        "task": "parse the file",
        "trajectory": [{ "role": "user", "content": "go" }, { "role": "assistant", "content": "done" }],
    })
}

/// Sends a request to an application. The body of an event stream is not read, because it has no end.
pub async fn send(service: &Router, request: Request<Body>) -> TestResponse {
    let response = service.clone().oneshot(request).await.expect("the service answers");
    let (parts, body) = response.into_parts();
    let endless = parts.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
    let bytes = match endless {
        true => Vec::new(),
        false => body.collect().await.expect("the body ends").to_bytes().to_vec(),
    };
    TestResponse { status: parts.status, headers: parts.headers, bytes }
}

impl TestApp {
    /// Sends any request.
    pub async fn call(&self, request: Request<Body>) -> TestResponse {
        send(&self.service, request).await
    }

    /// Sends a request with a key, more headers and an optional JSON body.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.call(request.body(body).expect("a well-formed request")).await
    }

    /// A GET in the test's project with the test's key.
    pub async fn get(&self, rest: &str) -> TestResponse {
        self.send("GET", &self.path(rest), Some(&self.key), &[], None).await
    }

    /// A POST in the test's project with the test's key.
    pub async fn post(&self, rest: &str, body: &Value) -> TestResponse {
        self.send("POST", &self.path(rest), Some(&self.key), &[], Some(body)).await
    }

    /// The same with an idempotency key.
    pub async fn post_once(&self, rest: &str, idempotency_key: &str, body: &Value) -> TestResponse {
        let headers = [("idempotency-key", idempotency_key)];
        self.send("POST", &self.path(rest), Some(&self.key), &headers, Some(body)).await
    }

    /// Records a trace and returns its id.
    pub async fn given_trace(&self) -> String {
        let stored = self.post("/traces", &trace()).await.expect(201).json();
        stored["trace_id"].as_str().expect("an id").to_owned()
    }
}
