//! How much the server takes on at one time. What is too much is sent away at once, with a time to
//! come back, instead of making everybody wait.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::http::error::ApiError;

/// Lets a request in if there is room, and ends it when it takes too long.
pub(crate) async fn admit(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    // Probes must get through when nothing else does; whatever brings a body has to be counted.
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads && !path.starts_with("/v1/") && !path.starts_with("/console/") {
        return Ok(next.run(request).await);
    }
    let limits = &app.settings.limits;
    let waits = waits(&request, path);
    let (name, room) = if waits {
        ("reflect_http_requests_waiting", &app.waiting)
    } else {
        ("reflect_http_requests_working", &app.requests)
    };
    let _room = Counted { _permit: many(room, 1)?, name };
    metrics::gauge!(name).increment(1);
    let _memory = match body_kilobytes(&request, limits.body_bytes)? {
        0 => None,
        kilobytes => Some(many(&app.buffered_kilobytes, kilobytes)?),
    };
    let longest =
        if waits { limits.request_time + crate::http::traces::LONGEST_WAIT } else { limits.request_time };
    tokio::time::timeout(longest, next.run(request)).await.map_err(|_| {
        let message = format!("the request took longer than {} s", longest.as_secs());
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message)
    })
}

/// A request that was let in; also counted out when its client goes away in the middle.
struct Counted {
    _permit: OwnedSemaphorePermit,
    name: &'static str,
}

impl Drop for Counted {
    fn drop(&mut self) {
        metrics::gauge!(self.name).decrement(1);
    }
}

/// Whether the answer may have to wait for a model: then the request does no work while it is open.
fn waits(request: &Request, path: &str) -> bool {
    let asks = |query: &str| query.split('&').any(|part| part.starts_with("wait="));
    match *request.method() {
        Method::GET => path.ends_with("/traces/{trace_id}") && request.uri().query().is_some_and(asks),
        Method::POST => ["/review", "/skill/create", "/judge/try"].iter().any(|end| path.ends_with(end)),
        _ => false,
    }
}

/// How much memory the body may take. One of unknown or compressed length may be as large as any.
fn body_kilobytes(request: &Request, most: usize) -> Result<u32, ApiError> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::DELETE) {
        return Ok(0);
    }
    let headers = request.headers();
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let bytes = match length {
        Some(length) if length > most => {
            let message = format!("a request body may have {} MB at most", most / 1024 / 1024);
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message));
        }
        Some(length) if !headers.contains_key(CONTENT_ENCODING) => length,
        _ => most,
    };
    Ok(u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX))
}

fn many(room: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, ApiError> {
    room.clone().try_acquire_many_owned(permits).map_err(|_| {
        metrics::counter!("reflect_http_requests_shed_total").increment(1);
        ApiError::overloaded("the server is busy; try again in a second")
    })
}
