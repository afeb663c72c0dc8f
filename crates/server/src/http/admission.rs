//! Admission control: requests beyond the limits are rejected at once with `Retry-After`, instead of
//! slowing down all requests. A request takes a slot when its caller is known and its body is there.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::caller_use::RequestLoad;
use crate::error::ApiError;
use crate::http::route::{LONGEST_WAIT, MatchedRoute, RouteAccess};

/// Admits a request if the limits allow it, and cancels it after the time limit.
pub(crate) async fn admit(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(MatchedRoute { route, .. }) = request.extensions().get().copied() else {
        return Ok(next.run(request).await);
    };
    // Probes must work on a busy server.
    if route.probe {
        return Ok(next.run(request).await);
    }
    let waits = route.load(request.uri().query()) == RequestLoad::Waiting;
    let (name, slots) = match (route.access.is_authenticated(), waits) {
        (false, _) if route.access == RouteAccess::FeedbackToken => {
            ("reflect_http_requests_public", &app.feedback.slots)
        }
        (true, true) => ("reflect_http_requests_waiting", &app.waiting),
        (true, false) => ("reflect_http_requests_working", &app.requests),
        (false, _) => ("reflect_http_requests_public", &app.public),
    };
    let _admitted = Admitted { _permit: acquire(slots)?, name };
    metrics::gauge!(name).increment(1);
    let request_time = app.settings.limits.request_time;
    let longest = if waits { request_time + LONGEST_WAIT } else { request_time };
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

pub(crate) fn acquire(slots: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ApiError> {
    slots.clone().try_acquire_owned().map_err(|_| {
        metrics::counter!("reflect_http_requests_shed_total").increment(1);
        ApiError::overloaded("the server has too many requests in progress; retry after 1 second")
    })
}
