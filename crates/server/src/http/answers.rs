//! The last touch on every answer: one error envelope, and headers that are the same everywhere.

use axum::Json;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use reflect_api::{ErrorBody, ErrorDetail};

use crate::http::error::ErrorParts;
use crate::http::request_id::RequestId;
use crate::http::system::OwnBody;

/// An answer that is no page runs nothing, loads nothing and is shown in no frame, whatever is in it.
const NO_PAGE: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Writes the body of an error, also for one that came from a layer below our handlers.
pub(crate) async fn finish(request: Request, next: Next) -> Response {
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let mut response = next.run(request).await;
    let failed = response.status().is_client_error() || response.status().is_server_error();
    if failed && response.extensions().get::<OwnBody>().is_none() {
        response = with_error_body(response, request_id);
    }
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NO_PAGE);
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn with_error_body(response: Response, request_id: String) -> Response {
    let status = response.status();
    let (code, message) = match response.extensions().get::<ErrorParts>() {
        Some(parts) => (parts.code, parts.message.clone()),
        None => from_a_layer(status),
    };
    let error = ErrorDetail { code: code.to_owned(), message, request_id };
    let mut answer = (status, Json(ErrorBody { error })).into_response();
    for name in ["retry-after", "allow"] {
        if let Some(value) = response.headers().get(name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

fn from_a_layer(status: StatusCode) -> (&'static str, String) {
    let code = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "payload_too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
        _ if status.is_server_error() => "internal",
        _ => "invalid_request",
    };
    (code, status.canonical_reason().unwrap_or("refused").to_lowercase())
}
