//! Whether learning works: the effect of memories, and the health of the learning loop.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use reflect_api::{ErrorBody, LoopHealth, ReportClient, Uplift, UpliftQuery};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Measure whether memories help.
///
/// Compares the pass rates of traces with memories and of randomly held-out traces. Returns the confidence interval of
/// the difference and how many more reviews would settle it. Without a holdout (the project's `holdout_rate` is 0),
/// `causal` is false: then traces with and without memories are compared, which may differ in other ways.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/uplift", tag = "learning",
    params(("project_id" = String, Path),
           ("since" = Option<String>, Query, format = DateTime,
            description = "Only traces since this time, RFC 3339. Default: all stored traces"),
           ("review_error" = Option<f64>, Query,
            description = "The share of wrong reviews, if known: at least 0 and less than 0.5")),
    responses((status = 200, description = "The difference of the pass rates", body = Uplift),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_uplift(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<UpliftQuery>, QueryRejection>,
) -> Result<Json<Uplift>, ApiError> {
    let Query(query) = query?;
    let uplift = app.engine.insights.uplift(&caller.visitor, wire::uplift_question(query)).await?;
    Ok(Json(wire::uplift(query, uplift)))
}

/// Check the learning loop: fourteen checks, worst first, each with what to do.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/loop-health", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "The result of each check", body = LoopHealth),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_loop_health(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<LoopHealth>, ApiError> {
    let health = app.engine.insights.health(&caller.visitor).await?;
    Ok(Json(wire::loop_health(health)))
}

/// Report traces that a client has lost or not yet sent, for the loop health.
///
/// A client sends this every few minutes, also if the numbers are 0. Its last report counts for one day.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/client-reports", tag = "learning", request_body = ReportClient,
    params(("project_id" = String, Path)),
    responses((status = 204, description = "Stored"),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn report_client(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReportClient>,
) -> Result<StatusCode, ApiError> {
    app.engine.insights.report_client(&caller.visitor, wire::client_report(request.body)).await?;
    Ok(StatusCode::NO_CONTENT)
}
