//! Sessions of members.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use reflect_api::{ConsoleSession, ErrorBody, Session};
use reflect_types::SessionId;
use serde::Deserialize;

use super::projects;
use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::SignedIn;
use crate::http::cookie::Cookie;
use crate::http::json::Post;
use crate::wire;

/// Get the session: the member and their permissions.
#[utoipa::path(
    get, path = "/console/api/session", tag = "console",
    responses((status = 200, description = "The session", body = ConsoleSession),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_session(
    State(app): State<Arc<App>>,
    caller: SignedIn,
) -> Result<Json<ConsoleSession>, ApiError> {
    let projects = projects::visible(&app, &caller.holder).await?;
    Ok(Json(wire::console_session(&caller.holder, projects)))
}

/// An empty object.
#[derive(Debug, Deserialize)]
pub(crate) struct Nothing {}

/// Sign out.
#[utoipa::path(
    post, path = "/console/api/logout", tag = "console",
    request_body(content = Object, description = "An empty object"),
    responses((status = 204, description = "The session is ended"),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    _: Post<Nothing>,
) -> Result<Response, ApiError> {
    app.engine.sessions.sign_out(&caller.holder, caller.actor.origin).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(gone) = Cookie::Session.set("", Some(0), &app.settings) {
        response.headers_mut().insert(SET_COOKIE, gone);
    }
    Ok(response)
}

#[derive(Debug, Deserialize)]
pub(crate) struct SessionsQuery {
    #[serde(default)]
    all: bool,
}

/// List active sessions, newest first: the member's own, or with `all` those of all members.
#[utoipa::path(
    get, path = "/console/api/sessions", tag = "console",
    params(("all" = Option<bool>, Query, description = "All sessions. Only for members who manage members")),
    responses((status = 200, description = "Newest first", body = Vec<Session>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_sessions(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    query: Result<Query<SessionsQuery>, QueryRejection>,
) -> Result<Json<Vec<Session>>, ApiError> {
    let rows = app.engine.sessions.list(&caller.holder, query?.all).await?;
    let current = caller.holder.session().session_id;
    Ok(Json(rows.into_iter().map(|row| wire::session(row, current)).collect()))
}

/// End a session: the member's own, or any session if the member manages members.
#[utoipa::path(
    post, path = "/console/api/sessions/{session_id}/revoke", tag = "console",
    request_body(content = Object, description = "An empty object"), params(("session_id" = String, Path)),
    responses((status = 200, description = "The ended session", body = Session),
              (status = 404, description = "No such session", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn revoke_session(
    State(app): State<Arc<App>>,
    caller: SignedIn,
    Path(id): Path<String>,
    _: Post<Nothing>,
) -> Result<Json<Session>, ApiError> {
    let id: SessionId = id.parse().map_err(|_| ApiError::not_found("session"))?;
    let row = app.engine.sessions.revoke(&caller.holder, id, &caller.actor).await?;
    Ok(Json(wire::session(row, caller.holder.session().session_id)))
}
