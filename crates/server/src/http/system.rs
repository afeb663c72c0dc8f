//! What the server says about itself, to probes, scrapers and readers.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use reflect_api::{Health, Readiness};

use crate::app::App;

/// A database that takes longer than this to answer a ping is no help to anybody.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the process is alive. Says nothing about the database.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, description = "Alive", body = Health)))]
pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Whether the server can do its work now: for load balancers.
#[utoipa::path(
    get, path = "/ready", tag = "system",
    responses((status = 200, description = "Ready", body = Readiness),
              (status = 503, description = "Not now", body = Readiness)))]
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    let answer = |status: &str, reason: Option<&str>| {
        Json(Readiness { status: status.to_owned(), reason: reason.map(ToOwned::to_owned) })
    };
    if app.is_draining() {
        return not_now(answer("draining", Some("the server is shutting down")));
    }
    match tokio::time::timeout(PATIENCE, app.engine.store().ping()).await {
        Ok(Ok(())) => answer("ready", None).into_response(),
        _ => not_now(answer("unavailable", Some("the database does not answer"))),
    }
}

/// Marks a body that says "not now" as one to be left as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnBody;

fn not_now(body: Json<Readiness>) -> Response {
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
    response.extensions_mut().insert(OwnBody);
    response
}

/// Measurements in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "system", responses((status = 200, description = "Metrics", content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    // The queue is the database's; looked at when somebody asks. Without an answer the last one stands.
    let looked = tokio::time::timeout(PATIENCE, app.engine.store().jobs_waiting()).await;
    metrics::gauge!("reflect_database_up").set(if matches!(looked, Ok(Ok(_))) { 1.0 } else { 0.0 });
    if let Ok(Ok((jobs, oldest))) = looked {
        metrics::gauge!("reflect_jobs").set(jobs as f64);
        metrics::gauge!("reflect_jobs_oldest_seconds").set(oldest.as_secs_f64());
    }
    let text = app.settings.metrics.as_ref().map(metrics_exporter_prometheus::PrometheusHandle::render);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text.unwrap_or_default()).into_response()
}

/// This description.
#[utoipa::path(get, path = "/openapi.json", tag = "system", responses((status = 200, description = "OpenAPI 3.1", body = Object)))]
pub(crate) async fn openapi(State(app): State<Arc<App>>) -> Response {
    let text = app.description.get_or_init(|| crate::openapi::description_under(&app.settings.base_path));
    ([(CONTENT_TYPE, "application/json")], text.clone()).into_response()
}
