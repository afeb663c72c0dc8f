//! The projects that a member can see.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use reflect_api::{ConsoleProject, CreateProject, ErrorBody};
use reflect_engine::MemberHolder;
use reflect_types::MemberRole;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::SignedIn;
use crate::http::json::Post;
use crate::wire;

/// Counting more projects would make the list slow.
const MOST_COUNTED: usize = 100;

/// List the projects that the member can see, by name, with the number of traces without a review.
#[utoipa::path(
    get, path = "/console/api/projects", tag = "console",
    responses((status = 200, description = "By name", body = Vec<ConsoleProject>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_projects(
    State(app): State<Arc<App>>,
    caller: SignedIn,
) -> Result<Json<Vec<ConsoleProject>>, ApiError> {
    Ok(Json(visible(&app, &caller.holder).await?))
}

/// Create a project.
#[utoipa::path(
    post, path = "/console/api/projects", tag = "console", operation_id = "create_project",
    request_body = CreateProject,
    responses((status = 201, description = "The project", body = ConsoleProject),
              (status = 409, description = "A project with this name exists", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_project(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    request: Post<CreateProject>,
) -> Result<(StatusCode, Json<ConsoleProject>), ApiError> {
    let row = app.engine.projects.create(&caller.holder, &request.body.project_id, &caller.actor).await?;
    // Only an admin of all projects gets here.
    Ok((StatusCode::CREATED, Json(wire::console_project(row, MemberRole::Admin, None))))
}

pub(super) async fn visible(app: &App, holder: &MemberHolder) -> Result<Vec<ConsoleProject>, ApiError> {
    let rows = app.engine.projects.list_visible(holder).await?;
    let mut projects = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let pending = match index {
            0..MOST_COUNTED => Some(app.engine.store.project(row.project_id).insights().pending().await?),
            _ => None,
        };
        let role = holder.member().access.role_in(row.project_id).unwrap_or(MemberRole::Viewer);
        projects.push(wire::console_project(row, role, pending));
    }
    Ok(projects)
}
