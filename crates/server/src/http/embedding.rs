//! Embedding migrations: changing the embedding model of a project.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use reflect_api::{
    CompareEmbeddings, EmbeddingChange, EmbeddingComparison, EmbeddingStep, ErrorBody, SwitchEmbedding,
};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Get the embedding spaces that are in use, and the progress of the last embedding migration.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/embedding-change", tag = "projects",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The spaces and the last migration", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_embedding_change(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<EmbeddingChange>, ApiError> {
    let change = app.engine.spaces.status(&caller.visitor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// Start to embed all memories with the other embedder, in the background. Retrieval continues with the old one.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change", tag = "projects", request_body = EmbeddingStep,
    params(("project_id" = String, Path)),
    responses((status = 202, description = "Started", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn start_embedding_change(
    State(app): State<Arc<App>>,
    caller: Caller,
    _request: Post<EmbeddingStep>,
) -> Result<(StatusCode, Json<EmbeddingChange>), ApiError> {
    let change = app.engine.spaces.start(&caller.visitor, &caller.actor).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::embedding_change(change))))
}

/// Run recent queries against both spaces and compare the results. Nothing is stored.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change/compare", tag = "projects",
    request_body = CompareEmbeddings, params(("project_id" = String, Path)),
    responses((status = 200, description = "How much the results differ", body = EmbeddingComparison),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn compare_embeddings(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CompareEmbeddings>,
) -> Result<Json<EmbeddingComparison>, ApiError> {
    let comparison_request = wire::comparison_request(&request.body);
    let comparison = app.engine.spaces.compare(&caller.visitor, &comparison_request).await?;
    Ok(Json(wire::comparison(comparison)))
}

/// Make retrievals search the new space. New memories are still indexed in both spaces.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change/switch", tag = "projects",
    request_body = SwitchEmbedding, params(("project_id" = String, Path)),
    responses((status = 200, description = "Switched", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn switch_embedding(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<SwitchEmbedding>,
) -> Result<Json<EmbeddingChange>, ApiError> {
    let threshold = request.body.similarity_threshold;
    let change = app.engine.spaces.switch(&caller.visitor, threshold, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// Make retrievals search the old space again. A migration that was never switched is abandoned.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change/rollback", tag = "projects",
    request_body = EmbeddingStep, params(("project_id" = String, Path)),
    responses((status = 200, description = "Rolled back", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn roll_embedding_back(
    State(app): State<Arc<App>>,
    caller: Caller,
    _request: Post<EmbeddingStep>,
) -> Result<Json<EmbeddingChange>, ApiError> {
    let change = app.engine.spaces.roll_back(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// Finish the migration. The searched space is kept, and the vectors of the other one are removed.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change/finish", tag = "projects",
    request_body = EmbeddingStep, params(("project_id" = String, Path)),
    responses((status = 200, description = "Finished", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn finish_embedding_change(
    State(app): State<Arc<App>>,
    caller: Caller,
    _request: Post<EmbeddingStep>,
) -> Result<Json<EmbeddingChange>, ApiError> {
    let change = app.engine.spaces.finish(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}
