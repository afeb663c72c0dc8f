//! Routes about the server: probes, metrics and the API description.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use reflect_api::{Health, Readiness};

use crate::app::{App, DatabaseState};

/// The longest time to wait for the database.
const PATIENCE: Duration = Duration::from_secs(2);

/// Check whether the process is alive. This does not check the database.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, description = "Alive", body = Health)))]
pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Check whether the server can handle requests that read, such as retrievals, now. For load balancers.
#[utoipa::path(
    get, path = "/ready", tag = "system",
    responses((status = 200, description = "Ready", body = Readiness),
              (status = 503, description = "Not ready", body = Readiness)))]
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    readiness(&app, false).await
}

/// Check whether the server can handle requests that store something now: its database is neither a standby nor read-only.
#[utoipa::path(
    get, path = "/ready/write", tag = "system",
    responses((status = 200, description = "Ready", body = Readiness),
              (status = 503, description = "Not ready", body = Readiness)))]
pub(crate) async fn ready_to_write(State(app): State<Arc<App>>) -> Response {
    readiness(&app, true).await
}

async fn readiness(app: &App, to_write: bool) -> Response {
    let answer = |status: &str, reason: Option<&str>| {
        Json(Readiness { status: status.to_owned(), reason: reason.map(ToOwned::to_owned) })
    };
    if app.is_draining() {
        return not_now(answer("draining", Some("the server is shutting down")));
    }
    match app.database_state().await {
        DatabaseState::Unavailable => not_now(answer("unavailable", Some("the database does not answer"))),
        DatabaseState::ReadsOnly if to_write => {
            not_now(answer("read_only", Some("the database is a standby or set to read-only")))
        }
        DatabaseState::ReadsOnly | DatabaseState::ReadsAndWrites => answer("ready", None).into_response(),
    }
}

/// Marks a response whose body must not be replaced by the error body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnBody;

fn not_now(body: Json<Readiness>) -> Response {
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
    response.extensions_mut().insert(OwnBody);
    response
}

/// Get metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "system", responses((status = 200, description = "Metrics", content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let _scraping = app.scraping.lock().await;
    // The queue is read on request. If the database does not answer, the gauges keep their last values.
    let store = &app.engine.store;
    let looked = tokio::time::timeout(PATIENCE, store.jobs().waiting()).await;
    metrics::gauge!("reflect_database_up").set(if matches!(looked, Ok(Ok(_))) { 1.0 } else { 0.0 });
    if let Ok(Ok((jobs, oldest))) = looked {
        metrics::gauge!("reflect_jobs").set(jobs as f64);
        metrics::gauge!("reflect_jobs_oldest_seconds").set(oldest.as_secs_f64());
    }
    if let Ok(Ok(states)) = tokio::time::timeout(PATIENCE, store.maintenance().steps().all()).await {
        for state in states {
            let (step, failed) = (state.step.name(), state.last_error.is_some());
            metrics::gauge!("reflect_maintenance_age_seconds", "step" => step).set(state.age.as_secs_f64());
            metrics::gauge!("reflect_maintenance_failed", "step" => step).set(if failed { 1.0 } else { 0.0 });
        }
    }
    let text = app.settings.metrics.as_ref().map(metrics_exporter_prometheus::PrometheusHandle::render);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text.unwrap_or_default()).into_response()
}

/// The API description. It is generated on the first request, because most processes never serve it.
#[derive(Clone)]
pub(crate) struct DescriptionText(Arc<LazyLock<String, Box<dyn FnOnce() -> String + Send>>>);

impl DescriptionText {
    pub(crate) fn new(generate: impl FnOnce() -> String + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(generate))))
    }
}

/// Get this description.
#[utoipa::path(get, path = "/openapi.json", tag = "system", responses((status = 200, description = "OpenAPI 3.1", body = Object)))]
pub(crate) async fn openapi(Extension(DescriptionText(text)): Extension<DescriptionText>) -> Response {
    ([(CONTENT_TYPE, "application/json")], text.to_string()).into_response()
}
