//! Members: creating, disabling and enabling them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{CreateMember, CreatedMember, ErrorBody, Member, SetMemberRole, SignInLink};
use reflect_engine::MemberRequest;
use reflect_types::{MemberId, ProjectId};

use super::session::Nothing;
use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::SignedIn;
use crate::http::json::Post;
use crate::wire;

/// List all members, including disabled ones.
#[utoipa::path(
    get, path = "/console/api/members", tag = "console",
    responses((status = 200, description = "Oldest first", body = Vec<Member>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_members(
    State(app): State<Arc<App>>,
    caller: SignedIn,
) -> Result<Json<Vec<Member>>, ApiError> {
    let rows = app.engine.members.list(&caller.holder).await?;
    let slugs = slugs(&app).await?;
    Ok(Json(rows.into_iter().map(|row| wire::member(row, &slugs)).collect()))
}

/// Create a member. The sign-in link is only in this response.
#[utoipa::path(
    post, path = "/console/api/members", tag = "console", request_body = CreateMember,
    responses((status = 201, description = "The member and the sign-in link", body = CreatedMember),
              (status = 409, description = "Another member has this name", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_member(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    request: Post<CreateMember>,
) -> Result<(StatusCode, Json<CreatedMember>), ApiError> {
    let CreateMember { name, role, projects } = request.body;
    let request = MemberRequest { name, role, projects };
    let (row, link) = app.engine.members.add(&caller.holder, request, &caller.actor).await?;
    let member = wire::member(row, &slugs(&app).await?);
    let link = wire::sign_in_link(&link, &app.settings);
    Ok((StatusCode::CREATED, Json(CreatedMember { member, link })))
}

/// Create another sign-in link for a member. Unused links stop working.
#[utoipa::path(
    post, path = "/console/api/members/{member_id}/link", tag = "console",
    request_body(content = Object, description = "An empty object"), params(("member_id" = String, Path)),
    responses((status = 201, description = "The link", body = SignInLink),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn link_member(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    Path(id): Path<String>,
    _: Post<Nothing>,
) -> Result<(StatusCode, Json<SignInLink>), ApiError> {
    let link = app.engine.members.create_link(&caller.holder, member(&id)?, &caller.actor).await?;
    Ok((StatusCode::CREATED, Json(wire::sign_in_link(&link, &app.settings))))
}

/// Set the role of a member in every project, or leave them only the roles in single projects.
#[utoipa::path(
    put, path = "/console/api/members/{member_id}/role", tag = "console", request_body = SetMemberRole,
    params(("member_id" = String, Path)),
    responses((status = 200, description = "The member", body = Member),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn set_member_role(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    Path(id): Path<String>,
    request: Post<SetMemberRole>,
) -> Result<Json<Member>, ApiError> {
    let (id, role) = (member(&id)?, request.body.role);
    let row = app.engine.members.set_role(&caller.holder, id, role, &caller.actor).await?;
    Ok(Json(wire::member(row, &slugs(&app).await?)))
}

/// Disable a member. The member's sessions end, and the keys that the member created are revoked.
#[utoipa::path(
    post, path = "/console/api/members/{member_id}/disable", tag = "console",
    request_body(content = Object, description = "An empty object"), params(("member_id" = String, Path)),
    responses((status = 200, description = "The member", body = Member),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn disable_member(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    Path(id): Path<String>,
    _: Post<Nothing>,
) -> Result<Json<Member>, ApiError> {
    set_disabled(&app, &caller, &id, true).await
}

/// Enable a member. The member needs a new sign-in link.
#[utoipa::path(
    post, path = "/console/api/members/{member_id}/enable", tag = "console",
    request_body(content = Object, description = "An empty object"), params(("member_id" = String, Path)),
    responses((status = 200, description = "The member", body = Member),
              (status = 404, description = "No such member", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn enable_member(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    Path(id): Path<String>,
    _: Post<Nothing>,
) -> Result<Json<Member>, ApiError> {
    set_disabled(&app, &caller, &id, false).await
}

async fn set_disabled(
    app: &App,
    caller: &SignedIn,
    id: &str,
    disabled: bool,
) -> Result<Json<Member>, ApiError> {
    let row = app.engine.members.set_disabled(&caller.holder, member(id)?, disabled, &caller.actor).await?;
    Ok(Json(wire::member(row, &slugs(app).await?)))
}

fn member(id: &str) -> Result<MemberId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found("member"))
}

async fn slugs(app: &App) -> Result<HashMap<ProjectId, String>, ApiError> {
    let rows = app.engine.store.catalogue().project_rows(None).await?;
    Ok(rows.into_iter().map(|row| (row.project_id, row.slug)).collect())
}
