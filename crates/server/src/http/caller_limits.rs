//! Admits requests by the limits of their key or member.
//!
//! The limits apply after authentication and before the body is read. Of requests without a key, only feedback is limited
//! here, by address: the others get small bodies, a short time and slots of their own.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::error::ApiError;
use crate::http::body_memory::{BodyMemory, hold_until_sent};
use crate::http::caller_mark::CallerMark;
use crate::http::client_address::ClientAddress;
use crate::http::route::{MatchedRoute, RouteAccess};

/// Admits a request if the limits of its caller allow it. The response counts until it is sent.
pub(crate) async fn limit(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let matched = request.extensions().get::<MatchedRoute>().copied();
    if matched.is_some_and(|matched| matched.route.access == RouteAccess::FeedbackToken) {
        let address = request.extensions().get::<ClientAddress>().copied();
        let address = address.unwrap_or_else(|| ClientAddress::of(&request, &[]));
        app.feedback.check_address(address.0).await?;
    }
    let caller = request.extensions().get::<CallerMark>().and_then(CallerMark::id);
    let (Some(matched), Some(caller)) = (matched, caller) else { return Ok(next.run(request).await) };
    let used = app.callers.of(caller).await;
    used.check_rate()?;
    let permit = used.acquire(matched.route.load(request.uri().query()))?;
    let memory = BodyMemory::new(&app, Some(used.as_ref()));
    request.extensions_mut().insert(used);
    let response = next.run(request).await;
    hold_until_sent(response, memory, permit)
}
