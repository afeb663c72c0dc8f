//! Whether learning works: what memories do for runs, and whether the loop is closed.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use reflect_api::{ErrorBody, LoopHealth, ReportClient, Uplift, UpliftQuery};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Say whether memories help.
///
/// Compares the pass rates of runs with memories and of runs from which they were held back by lot, and says how sure
/// the difference is and how many more reviews would settle it. Without a holdout (`holdout_rate` of the project is 0)
/// the answer has `causal` false: it compares runs that had memories with runs that had none, which proves nothing.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/uplift", tag = "learning",
    params(("project_id" = String, Path),
           ("since" = Option<String>, Query, format = DateTime,
            description = "Only runs since then, RFC 3339; all that are kept when absent"),
           ("review_error" = Option<f64>, Query,
            description = "The share of reviews that are wrong, when it is known: at least 0, less than 0.5")),
    responses((status = 200, description = "By how much runs with memories pass more often", body = Uplift),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_uplift(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<UpliftQuery>, QueryRejection>,
) -> Result<Json<Uplift>, ApiError> {
    let Query(query) = query?;
    let uplift = app.engine.uplift(&caller.visitor, wire::uplift_question(query)).await?;
    Ok(Json(wire::uplift(query, uplift)))
}

/// Say whether the learning loop is closed: ten checks, worst first, each with what to do.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/loop-health", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "What each check says", body = LoopHealth),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_loop_health(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<LoopHealth>, ApiError> {
    let health = app.engine.loop_health(&caller.visitor).await?;
    Ok(Json(wire::loop_health(health)))
}

/// Report runs that a client lost or still holds, so that loop health can tell.
///
/// A client sends this every few minutes, zeros too: its last report counts, for a day.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/client-reports", tag = "learning", request_body = ReportClient,
    params(("project_id" = String, Path)),
    responses((status = 204, description = "Noted"),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn report_client(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReportClient>,
) -> Result<StatusCode, ApiError> {
    app.engine.report_client(&caller.visitor, wire::client_report(request.body)).await?;
    Ok(StatusCode::NO_CONTENT)
}
