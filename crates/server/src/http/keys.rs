//! API keys of a project.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use reflect_api::{ApiKey, CreateApiKey, CreatedApiKey, ErrorBody, RotateApiKey};
use reflect_types::KeyId;
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// Create a key. Its text is only in this response.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/api-keys", tag = "keys", request_body = CreateApiKey,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The key", body = CreatedApiKey),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_api_key(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateApiKey>,
) -> Result<(StatusCode, Json<CreatedApiKey>), ApiError> {
    let key_request = wire::key_request(request.body)?;
    let made =
        app.engine.keys.create(&caller.visitor, key_request, &caller.actor, request.claim.as_ref()).await?;
    Ok((StatusCode::CREATED, Json(wire::created_key(made))))
}

/// List the keys of a project, newest first. With a master key, the list contains the master keys too.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/api-keys", tag = "keys",
    params(("project_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<ApiKey>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_api_keys(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(paging) = query?;
    let limit = paging.limit()?;
    let before = paging.cursor()?.map(KeyId::from_uuid);
    let project = app.engine.store.project(caller.visitor.project);
    let mut keys = project.keys().list(caller.visitor.is_master, before, i64::from(limit) + 1).await?;
    let more = keys.len() > limit as usize;
    keys.truncate(limit as usize);
    let next = keys.last().filter(|_| more).map(|key| key.key_id.as_uuid());
    Ok(page(keys.into_iter().map(wire::key).collect(), next))
}

/// Replace a key by a new one with the same label, scopes, trust level and address ranges. The text of the new key is
/// only in this response. The old key keeps working for a day, or for the time of `overlap_hours`.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/api-keys/{key_id}/rotate", tag = "keys", request_body = RotateApiKey,
    params(("project_id" = String, Path), ("key_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The new key", body = CreatedApiKey),
              (status = 404, description = "No such key in this project", body = ErrorBody),
              (status = 409, description = "The key is revoked or has expired", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn rotate_api_key(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<RotateApiKey>,
) -> Result<(StatusCode, Json<CreatedApiKey>), ApiError> {
    let id: KeyId = id.parse().map_err(|_| ApiError::not_found("key"))?;
    let (rotation, claim) = (wire::rotation(&request.body), request.claim.as_ref());
    let made = app.engine.keys.rotate(&caller.visitor, id, rotation, &caller.actor, claim).await?;
    Ok((StatusCode::CREATED, Json(wire::created_key(made))))
}

/// An empty object, which old clients send.
#[derive(Debug, Deserialize)]
pub(crate) struct RevokeApiKey {}

/// Revoke a key and all keys that were created with it. All servers reject them after at most five seconds.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/api-keys/{key_id}/revoke", tag = "keys",
    request_body(content = Object, description = "An empty object"),
    params(("project_id" = String, Path), ("key_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The revoked key", body = ApiKey),
              (status = 404, description = "No such key in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn revoke_api_key(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<RevokeApiKey>,
) -> Result<Json<ApiKey>, ApiError> {
    let id: KeyId = id.parse().map_err(|_| ApiError::not_found("key"))?;
    let key = app.engine.keys.revoke(&caller.visitor, id, &caller.actor, request.claim.as_ref()).await?;
    Ok(Json(wire::key(key)))
}
