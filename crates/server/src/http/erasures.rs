//! Erasures: requesting them and reading their progress.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{CreateErasure, Erasure, ErrorBody};
use reflect_store::ErasureId;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Erase the data of one trace, or of all traces of one subject.
///
/// This runs in the background and continues after a restart. It also removes data derived from the traces: feedback,
/// receipts, and unless `memories` is `keep`, memories with their vectors and the skills written from them.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/erasures", tag = "projects", request_body = CreateErasure,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, description = "Accepted", body = Erasure),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_erasure(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateErasure>,
) -> Result<(StatusCode, Json<Erasure>), ApiError> {
    let erasure_request = wire::erasure_request(request.body);
    let id = app
        .engine
        .erasures
        .request(&caller.visitor, erasure_request, &caller.actor, request.claim.as_ref())
        .await?;
    let row = app.engine.store.project(caller.visitor.project).erasures().get(id).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::erasure(row))))
}

/// Get the progress of an erasure: what it removed, what is kept, and where copies may still exist.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/erasures/{erasure_id}", tag = "projects",
    params(("project_id" = String, Path), ("erasure_id" = String, Path)),
    responses((status = 200, description = "The erasure", body = Erasure),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_erasure(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Erasure>, ApiError> {
    let id: ErasureId = id.parse().map_err(|_| ApiError::not_found("erasure"))?;
    let row = app.engine.store.project(caller.visitor.project).erasures().get(id).await?;
    Ok(Json(wire::erasure(row)))
}
