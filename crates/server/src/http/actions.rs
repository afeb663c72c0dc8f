//! Actions: the change history of a project, and undo.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use reflect_api::{Action, ErrorBody};
use reflect_store::ActionId;
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// Which actions to list.
#[derive(Debug, Deserialize)]
pub(crate) struct ActionQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    include_automatic: Option<bool>,
}

/// List the changes of memories and reviews, newest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/actions", tag = "care",
    params(("project_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query),
           ("include_automatic" = Option<bool>, Query,
            description = "Whether actions of the server itself are listed too. Default: false")),
    responses((status = 200, description = "Newest first", body = Vec<Action>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_actions(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ActionQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(ActionQuery { limit, cursor, include_automatic }) = query?;
    let (paging, automatic) = (PageQuery { limit, cursor }, include_automatic.unwrap_or(false));
    let project = app.engine.store.project(caller.visitor.project);
    let (actions, next) = project.curation().actions(paging.cursor()?, paging.limit()?, automatic).await?;
    Ok(page(actions.into_iter().map(wire::action).collect(), next))
}

/// Read one action.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/actions/{action_id}", tag = "care",
    params(("project_id" = String, Path), ("action_id" = String, Path)),
    responses((status = 200, description = "The action", body = Action),
              (status = 404, description = "No such action in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_action(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Action>, ApiError> {
    let project = app.engine.store.project(caller.visitor.project);
    Ok(Json(wire::action(project.curation().action(action_id(&id)?).await?)))
}

/// Undo an action. Other changes before or after it are kept.
///
/// Reviews of this action are withdrawn. Undoing it again changes nothing. An undo cannot be undone, and erased texts
/// cannot be restored.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/actions/{action_id}/undo", tag = "care",
    params(("project_id" = String, Path), ("action_id" = String, Path)),
    responses((status = 200, description = "The action, undone", body = Action),
              (status = 409, description = "It cannot be undone", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn undo_action(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Action>, ApiError> {
    let action = app.engine.actions.undo(&caller.visitor, action_id(&id)?, &caller.actor).await?;
    Ok(Json(wire::action(action)))
}

fn action_id(text: &str) -> Result<ActionId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("action"))
}
