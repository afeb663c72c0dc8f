//! Accepts the trace context of a request, so that our operations appear in the trace of the agent.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::OPERATION;
use tracing::Instrument as _;

use crate::app::App;
use crate::operation_spans::CONTEXT_SPAN;

const HEADER: &str = "traceparent";
/// A header of the present version has 55 characters.
const LONGEST: usize = 200;

/// Runs the request in its context, if spans are exported.
pub(crate) async fn accept(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.settings.spans.is_none() {
        return next.run(request).await;
    }
    let header = request.headers().get(HEADER).and_then(|value| value.to_str().ok());
    let Some(header) = header.filter(|header| header.len() <= LONGEST) else {
        return next.run(request).await;
    };
    let context = tracing::info_span!(target: OPERATION, CONTEXT_SPAN, header);
    next.run(request).instrument(context).await
}
