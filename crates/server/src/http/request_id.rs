//! A name for every request, by which its answer and its log lines are found.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use uuid::Uuid;

pub(crate) const HEADER: &str = "x-request-id";
const LONGEST: usize = 64;

/// The id of the request at hand.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// Takes the caller's id if it is a plain word, else makes one; the answer carries it either way.
pub(crate) async fn give(mut request: Request, next: Next) -> Response {
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

/// Foreign ids end up in log lines, so only what cannot do harm there is taken.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= LONGEST && id.bytes().all(plain)
}
