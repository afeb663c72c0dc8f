//! Request ids, which connect a response with its log lines.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use uuid::Uuid;

pub(crate) const HEADER: &str = "x-request-id";
const LONGEST: usize = 64;

/// The id of the request.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// Uses the caller's id if it is valid, or else generates one. The response contains it.
pub(crate) async fn assign(mut request: Request, next: Next) -> Response {
    let sent = request.headers().get(HEADER).and_then(|value| value.to_str().ok());
    let id = match sent {
        Some(id) if is_plain(id) => id.to_owned(),
        _ => Uuid::now_v7().simple().to_string(),
    };
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

/// A caller's id appears in log lines, so only safe characters are accepted.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= LONGEST && id.bytes().all(plain)
}
