//! Admission control: requests beyond the limits are rejected at once with `Retry-After`, instead of
//! slowing down all requests.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::error::ApiError;
use crate::http::route::{BodyLimit, LONGEST_WAIT, MatchedRoute, RouteAccess};

/// Admits a request if the limits allow it, and cancels it after the time limit.
pub(crate) async fn admit(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let route = request.extensions().get::<MatchedRoute>().map(|matched| matched.route);
    // Probes and pages must work on a busy server. Everything with a body counts.
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads && route.is_none_or(|route| route.access == RouteAccess::Public) {
        return Ok(next.run(request).await);
    }
    let limits = &app.settings.limits;
    let waits = route.is_some_and(|route| route.waits(request.uri().query()));
    let (name, permits_left) = if waits {
        ("reflect_http_requests_waiting", &app.waiting)
    } else {
        ("reflect_http_requests_working", &app.requests)
    };
    let _admitted = Admitted { _permit: acquire(permits_left, 1)?, name };
    metrics::gauge!(name).increment(1);
    let body_limit = route.map_or_else(|| BodyLimit::of_method(request.method()), |route| route.body_limit);
    let _memory = match body_limit {
        BodyLimit::Empty => None,
        BodyLimit::Configured => {
            let kilobytes = body_kilobytes(&request, limits.body_bytes)?;
            Some(acquire(&app.buffered_kilobytes, kilobytes)?)
        }
    };
    let longest = if waits { limits.request_time + LONGEST_WAIT } else { limits.request_time };
    tokio::time::timeout(longest, next.run(request)).await.map_err(|_| {
        let message = format!("the request took longer than {} s and was cancelled", longest.as_secs());
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message)
    })
}

/// An admitted request. Dropping it decrements the gauge, also when the client disconnects.
struct Admitted {
    _permit: OwnedSemaphorePermit,
    name: &'static str,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        metrics::gauge!(self.name).decrement(1);
    }
}

/// How much memory the body needs. A body of unknown or compressed length may need the maximum.
fn body_kilobytes(request: &Request, most: usize) -> Result<u32, ApiError> {
    let headers = request.headers();
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let bytes = match length {
        Some(length) if length > most => {
            let message = format!("the request body has {length} bytes; at most {most} are allowed");
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message));
        }
        Some(length) if !headers.contains_key(CONTENT_ENCODING) => length,
        _ => most,
    };
    Ok(u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX))
}

fn acquire(permits_left: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, ApiError> {
    permits_left.clone().try_acquire_many_owned(permits).map_err(|_| {
        metrics::counter!("reflect_http_requests_shed_total").increment(1);
        ApiError::overloaded("the server has too many requests in progress; retry after 1 second")
    })
}
