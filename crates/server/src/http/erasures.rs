//! Erasures: asking for one, and seeing how far it has come.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{CreateErasure, Erasure, ErrorBody};
use reflect_store::ErasureId;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Remove all that is known about one run, or about all runs of one subject.
///
/// It is done in the background and survives restarts. What came of the runs goes with them: feedback, receipts,
/// and unless `memories` is `keep`, memories with their vectors and the skills written from them.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/erasures", tag = "projects", request_body = CreateErasure,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, description = "Taken", body = Erasure),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_erasure(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateErasure>,
) -> Result<(StatusCode, Json<Erasure>), ApiError> {
    let asked = wire::erasure_request(request.body);
    let id =
        app.engine.request_erasure(&caller.visitor, asked, &caller.actor, request.claim.as_ref()).await?;
    let row = app.engine.store().project(caller.visitor.project).erasure(id).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::erasure(row))))
}

/// See how far an erasure has come, what it removed, what stays, and where copies may still be.
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
    let row = app.engine.store().project(caller.visitor.project).erasure(id).await?;
    Ok(Json(wire::erasure(row)))
}
