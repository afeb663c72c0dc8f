//! People: letting them in and shutting them out.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{CreateMember, CreatedMember, ErrorBody, Member, SignInLink};
use reflect_engine::MemberRequest;
use reflect_types::{MemberId, ProjectId};

use super::session::Nothing;
use crate::app::App;
use crate::http::caller::SignedIn;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// List everybody who may sign in, or might.
#[utoipa::path(
    get, path = "/console/api/members", tag = "console",
    responses((status = 200, description = "Oldest first", body = Vec<Member>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_members(
    State(app): State<Arc<App>>,
    caller: SignedIn,
) -> Result<Json<Vec<Member>>, ApiError> {
    let rows = app.engine.members(&caller.holder).await?;
    let slugs = slugs(&app).await?;
    Ok(Json(rows.into_iter().map(|row| wire::member(row, &slugs)).collect()))
}

/// Let somebody in. Their link is in this answer and nowhere else.
#[utoipa::path(
    post, path = "/console/api/members", tag = "console", request_body = CreateMember,
    responses((status = 201, description = "The member and their link", body = CreatedMember),
              (status = 409, description = "Somebody has this name", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_member(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    request: Post<CreateMember>,
) -> Result<(StatusCode, Json<CreatedMember>), ApiError> {
    let CreateMember { name, role, projects } = request.body;
    let request = MemberRequest { name, role, projects };
    let (row, link) = app.engine.add_member(&caller.holder, request, &caller.actor).await?;
    let member = wire::member(row, &slugs(&app).await?);
    let link = wire::sign_in_link(&link, &app.settings);
    Ok((StatusCode::CREATED, Json(CreatedMember { member, link })))
}

/// Make another link for a member. Those that were not used end.
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
    let link = app.engine.link_member(&caller.holder, member(&id)?, &caller.actor).await?;
    Ok((StatusCode::CREATED, Json(wire::sign_in_link(&link, &app.settings))))
}

/// Shut a member out. Their sessions end.
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

/// Let a member in again. They need a new link.
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
    let row = app.engine.disable_member(&caller.holder, member(id)?, disabled, &caller.actor).await?;
    Ok(Json(wire::member(row, &slugs(app).await?)))
}

fn member(id: &str) -> Result<MemberId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found("member"))
}

async fn slugs(app: &App) -> Result<HashMap<ProjectId, String>, ApiError> {
    let rows = app.engine.store().project_rows(None).await?;
    Ok(rows.into_iter().map(|row| (row.project_id, row.slug)).collect())
}
