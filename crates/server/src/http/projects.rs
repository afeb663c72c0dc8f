//! Projects: how one is set, and its end. They are made by naming them with a master key.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{ChangeProject, DeletedProject, ErrorBody, Project};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Read how a project is set.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Its settings", body = Project),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_project(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Project>, ApiError> {
    let settings = app.engine.project_settings(&caller.visitor).await?;
    Ok(Json(wire::project(&caller.visitor.slug, settings)))
}

/// Change how a project is set. What is absent stays.
#[utoipa::path(
    patch, path = "/v1/projects/{project_id}", tag = "projects", request_body = ChangeProject,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Its settings as they stand", body = Project),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_project(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ChangeProject>,
) -> Result<Json<Project>, ApiError> {
    let change = wire::settings_change(request.body);
    let settings = app.engine.change_project(&caller.visitor, &change, &caller.actor).await?;
    Ok(Json(wire::project(&caller.visitor.slug, settings)))
}

/// Delete a project with everything in it. Its keys stop working at once.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Deleted", body = DeletedProject),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_project(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<DeletedProject>, ApiError> {
    let revoked_keys = app.engine.delete_project(&caller.visitor, &caller.actor).await?;
    let project_id = caller.visitor.slug.to_string();
    Ok(Json(DeletedProject { project_id, deleted: true, revoked_keys }))
}
