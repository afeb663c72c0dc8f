//! One log line and one measurement per request.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use reflect_types::Defence;

use crate::app::App;
use crate::http::caller_mark::CallerMark;
use crate::http::client_address::ClientAddress;
use crate::http::request_id::RequestId;
use crate::http::route::MatchedRoute;

/// The label of requests whose method or path is not in the route table.
const UNMATCHED: &str = "unmatched";

/// Measures the request. Labels come from closed sets: clients choose methods, paths and ids, and each value would
/// create a time series.
pub(crate) async fn observe(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let (client, caller) =
        (ClientAddress::of(&request, &app.settings.trusted_proxies), CallerMark::default());
    request.extensions_mut().insert(client);
    request.extensions_mut().insert(caller.clone());
    let method = method_label(request.method());
    let matched = request.extensions().get::<MatchedRoute>().copied();
    let (route, probe) = matched.map_or((UNMATCHED, false), |matched| (matched.label(), matched.route.probe));
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();

    let response = next.run(request).await;

    let elapsed = start.elapsed();
    let status = response.status().as_u16();
    metrics::counter!("reflect_http_requests_total", "method" => method, "route" => route, "status" => status.to_string())
        .increment(1);
    metrics::histogram!("reflect_http_request_seconds", "method" => method, "route" => route)
        .record(elapsed.as_secs_f64());
    let microseconds = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    let (caller, client) = (caller.name(), client.0);
    if probe {
        tracing::debug!(method, route, status, microseconds, caller, %client, request.id = request_id, "{method} {route} {status}");
    } else {
        tracing::info!(method, route, status, microseconds, caller, %client, request.id = request_id, "{method} {route} {status}");
    }
    response
}

/// The method, or `other` for methods that no route has.
fn method_label(method: &Method) -> &'static str {
    if !Defence::MetricLabels.is_on() {
        return method.to_string().leak();
    }
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_one_of_a_closed_set() {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD] {
            assert_eq!(method_label(&method), method.as_str());
        }
        for method in ["TRACE", "get", "M-SEARCH", &"X".repeat(50_000)] {
            assert_eq!(method_label(&Method::from_bytes(method.as_bytes()).unwrap()), "other");
        }
    }
}
