//! The grouping of memories that existed before lessons were grouped: its state, its start and its revert.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, LessonGroupingStatus};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::wire;

type Status = Result<Json<LessonGroupingStatus>, ApiError>;

/// Get the progress of the grouping of existing memories, and how many lessons there are.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/lesson-grouping", tag = "lessons",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The progress", body = LessonGroupingStatus),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_lesson_grouping(State(app): State<Arc<App>>, caller: Caller) -> Status {
    let status = app.engine.lesson_bank.grouping(&caller.visitor).await?;
    Ok(Json(wire::lesson_grouping(status)))
}

/// Group existing memories in the background, again after a revert. Retrieval continues.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/lesson-grouping/start", tag = "lessons",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Waiting for its next step", body = LessonGroupingStatus),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn start_lesson_grouping(State(app): State<Arc<App>>, caller: Caller) -> Status {
    let status = app.engine.lesson_bank.start_grouping(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::lesson_grouping(status)))
}

/// Undo all automatic grouping and switch it off. What people grouped, and what was superseded, stays.
///
/// If it takes longer than a request may, the answer is 504. Repeat the call: it continues with what is left.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/lesson-grouping/revert", tag = "lessons",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Reverted", body = LessonGroupingStatus),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn revert_lesson_grouping(State(app): State<Arc<App>>, caller: Caller) -> Status {
    let status = app.engine.lesson_bank.revert_grouping(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::lesson_grouping(status)))
}
