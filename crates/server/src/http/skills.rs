//! Skills: a project's guide.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use reflect_api::{CreateSkill, ErrorBody, Skill};
use reflect_engine::SkillRequest;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Get the project's skill.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/skill", tag = "skills", params(("project_id" = String, Path)),
    responses((status = 200, description = "The latest version", body = Skill),
              (status = 404, description = "No skill has been written yet", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_skill(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Skill>, ApiError> {
    let skill = app.engine.store.project(caller.visitor.project).lessons().skills().latest().await?;
    Ok(Json(wire::skill(&caller.visitor.slug, skill)))
}

/// Write a new version of the project's skill from its best lessons.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/skill/create", tag = "skills", request_body = CreateSkill,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The new version", body = Skill),
              (status = 409, description = "There are no lessons yet", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_skill(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateSkill>,
) -> Result<(StatusCode, Json<Skill>), ApiError> {
    let usual = SkillRequest::default();
    let lessons = SkillRequest {
        passed: request.body.n_passed.unwrap_or(usual.passed),
        failed: request.body.n_failed.unwrap_or(usual.failed),
    };
    let skill = app.engine.skills.create(&caller.visitor, lessons, request.claim.as_ref()).await?;
    Ok((StatusCode::CREATED, Json(wire::skill(&caller.visitor.slug, skill))))
}
