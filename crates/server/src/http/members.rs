//! The members of a project and their roles.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reflect_api::{ErrorBody, ProjectMember, SetProjectRole};
use reflect_types::MemberRole;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// List the members with a role in the project, including disabled ones and those with a role in every project.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/members", tag = "members",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Oldest first", body = Vec<ProjectMember>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_project_members(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<ProjectMember>>, ApiError> {
    let rows = app.engine.members.list_of(&caller.visitor).await?;
    Ok(Json(rows.into_iter().map(|row| wire::project_member(row, caller.visitor.project)).collect()))
}

/// Give a member a role in the project, or change it.
///
/// A role in every project stays: the higher one counts.
#[utoipa::path(
    put, path = "/v1/projects/{project_id}/members/{member}", tag = "members", request_body = SetProjectRole,
    params(("project_id" = String, Path), ("member" = String, Path, description = "The id or the name")),
    responses((status = 200, description = "The member", body = ProjectMember),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn set_project_role(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, member)): Path<(String, String)>,
    request: Post<SetProjectRole>,
) -> Result<Json<ProjectMember>, ApiError> {
    change(&app, &caller, &member, Some(request.body.role)).await
}

/// Remove a member from the project. A role in every project stays.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/members/{member}", tag = "members",
    params(("project_id" = String, Path), ("member" = String, Path, description = "The id or the name")),
    responses((status = 200, description = "The member", body = ProjectMember),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn remove_project_member(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, member)): Path<(String, String)>,
) -> Result<Json<ProjectMember>, ApiError> {
    change(&app, &caller, &member, None).await
}

async fn change(
    app: &App,
    caller: &Caller,
    member: &str,
    role: Option<MemberRole>,
) -> Result<Json<ProjectMember>, ApiError> {
    let row = app.engine.members.set_project_role(&caller.visitor, member, role, &caller.actor).await?;
    Ok(Json(wire::project_member(row, caller.visitor.project)))
}
