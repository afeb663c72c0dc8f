//! Projects: settings and deletion. A request with a master key creates the project that it names.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{ChangeProject, DeletedProject, ErrorBody, Project};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Get a project's settings.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "The settings", body = Project),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_project(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Project>, ApiError> {
    let settings = app.engine.projects.settings(&caller.visitor).await?;
    Ok(Json(wire::project(&caller.visitor.slug, settings)))
}

/// Change a project's settings. Absent fields stay unchanged.
#[utoipa::path(
    patch, path = "/v1/projects/{project_id}", tag = "projects", request_body = ChangeProject,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The settings after the change", body = Project),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_project(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ChangeProject>,
) -> Result<Json<Project>, ApiError> {
    let change = request.body;
    let settings = app.engine.projects.update(&caller.visitor, &change, &caller.actor).await?;
    Ok(Json(wire::project(&caller.visitor.slug, settings)))
}

/// Delete a project with all its data. Its keys stop working at once.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Deleted", body = DeletedProject),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_project(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<DeletedProject>, ApiError> {
    let revoked_keys = app.engine.projects.delete(&caller.visitor, &caller.actor).await?;
    let project_id = caller.visitor.slug.to_string();
    Ok(Json(DeletedProject { project_id, deleted: true, revoked_keys }))
}
