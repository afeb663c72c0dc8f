//! The judge: its state, and trying it. Its settings belong to the project.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, JudgeOpinion, JudgeStatus, TryJudge};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Get the state of the project's judge: what it does, how well it agrees with people, and what it costs.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/judge", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "The state of the judge", body = JudgeStatus),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_judge(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<JudgeStatus>, ApiError> {
    let status = app.engine.judge.status(&caller.visitor).await?;
    Ok(Json(wire::judge_status(status)))
}

/// Ask the judge about a trace, optionally with another rubric. Only the cost is stored.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/judge/try", tag = "learning", request_body = TryJudge,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The judge's opinion", body = JudgeOpinion),
              (status = 409, description = "No model is configured, or today's tokens are used up", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn try_judge(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<TryJudge>,
) -> Result<Json<JudgeOpinion>, ApiError> {
    let trace_id = request.body.trace_id.as_deref().and_then(|id| id.parse().ok());
    let (model, opinion) = app.engine.judge.try_out(&caller.visitor, wire::judge_try(request.body)).await?;
    Ok(Json(wire::judge_opinion(trace_id, model, opinion)))
}
