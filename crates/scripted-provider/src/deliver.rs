//! Sends a response, or fails to in the ways that a script asks for.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::json;

/// What is sent.
pub(crate) enum Delivery {
    Json(String),
    Page(String),
    Trickle(String),
    Error { code: u16, retry_after: Option<String>, message: Option<String> },
    Hang,
    Refuse,
}

/// Marks a response that must not be sent: the connection is closed instead.
#[derive(Clone, Copy)]
pub(crate) struct CloseConnection;

impl Delivery {
    /// An error for an invalid request, independent of the script.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::Error { code: 400, retry_after: None, message: Some(message.into()) }
    }

    /// The first half of a response.
    pub(crate) fn half(json: &str) -> Self {
        Self::Json(json.chars().take(json.chars().count() / 2).collect())
    }

    pub(crate) async fn deliver(self) -> Response {
        match self {
            Self::Json(text) => with_type("application/json", text),
            Self::Page(text) => with_type("text/html", text),
            Self::Trickle(text) => with_type("application/json", Body::from_stream(byte_by_byte(text))),
            Self::Error { code, retry_after, message } => error(code, retry_after, message),
            Self::Hang => std::future::pending().await,
            Self::Refuse => {
                let mut response = Response::default();
                response.extensions_mut().insert(CloseConnection);
                response
            }
        }
    }
}

fn with_type(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], body.into()).into_response()
}

fn error(code: u16, retry_after: Option<String>, message: Option<String>) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let message = message.unwrap_or_else(|| "scripted error".to_owned());
    let body = json!({ "error": { "message": message, "type": "scripted", "code": code } });
    let mut response = (status, axum::Json(body)).into_response();
    if let Some(value) = retry_after.and_then(|value| HeaderValue::try_from(value).ok()) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// The first byte at once, then one byte per second.
fn byte_by_byte(text: String) -> impl futures::Stream<Item = Result<Vec<u8>, Infallible>> {
    let ticks = tokio::time::interval(Duration::from_secs(1));
    stream::unfold((text.into_bytes().into_iter(), ticks), |(mut bytes, mut ticks)| async move {
        ticks.tick().await;
        let byte = bytes.next()?;
        Some((Ok(vec![byte]), (bytes, ticks)))
    })
}
