//! One log line and one measurement per request.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::request_id::RequestId;
use crate::http::route::MatchedRoute;

/// Measures the request. Labels contain the route, never an id: ids would create unlimited time series.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let probe = request.extensions().get::<MatchedRoute>().is_some_and(|matched| matched.route.probe);
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "none".to_owned());
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();

    let response = next.run(request).await;

    let elapsed = start.elapsed();
    let seconds = elapsed.as_secs_f64();
    let status = response.status().as_u16();
    metrics::counter!("reflect_http_requests_total", "method" => method.to_string(), "route" => route.clone(), "status" => status.to_string())
        .increment(1);
    metrics::histogram!("reflect_http_request_seconds", "method" => method.to_string(), "route" => route.clone())
        .record(seconds);
    let microseconds = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    if probe {
        tracing::debug!(%method, route, status, microseconds, request.id = request_id, "{method} {route} {status}");
    } else {
        tracing::info!(%method, route, status, microseconds, request.id = request_id, "{method} {route} {status}");
    }
    response
}
