//! The judge: how it stands, and trying it out. It is set with its project.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, JudgeStatus, TriedJudge, TryJudge};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Say how the project's judge stands: what it does, what its word is worth and why, what it costs.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/judge", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "How it stands", body = JudgeStatus),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_judge(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<JudgeStatus>, ApiError> {
    let status = app.engine.judge_status(&caller.visitor).await?;
    Ok(Json(wire::judge_status(status)))
}

/// Ask what the judge would say of a run, perhaps with another rubric. Nothing is stored but what it cost.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/judge/try", tag = "learning", request_body = TryJudge,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "What it says", body = TriedJudge),
              (status = 409, description = "There is no model to ask, or its tokens for today are used up", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn try_judge(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<TryJudge>,
) -> Result<Json<TriedJudge>, ApiError> {
    let trace_id = request.body.trace_id.as_deref().and_then(|id| id.parse().ok());
    let (model, opinion) = app.engine.try_judge(&caller.visitor, wire::judge_try(request.body)).await?;
    Ok(Json(wire::tried_judge(trace_id, model, opinion)))
}
