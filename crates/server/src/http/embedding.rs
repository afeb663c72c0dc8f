//! Changing the embedding model of a project, step by step.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use reflect_api::{
    CompareEmbeddings, EmbeddingChange, EmbeddingComparison, EmbeddingStep, ErrorBody, SwitchEmbedding,
};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Read where memories are searched and placed, and how far the last change of the embedding model has come.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/embedding-change", tag = "projects",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The spaces and the last change", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_embedding_change(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<EmbeddingChange>, ApiError> {
    let change = app.engine.embedding_change(&caller.visitor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// Begin to embed all memories with the other embedder, in the background. Questions go on as before.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change", tag = "projects", request_body = EmbeddingStep,
    params(("project_id" = String, Path)),
    responses((status = 202, description = "Begun", body = EmbeddingChange),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn start_embedding_change(
    State(app): State<Arc<App>>,
    caller: Caller,
    _request: Post<EmbeddingStep>,
) -> Result<(StatusCode, Json<EmbeddingChange>), ApiError> {
    let change = app.engine.start_embedding_change(&caller.visitor, &caller.actor).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::embedding_change(change))))
}

/// Ask both spaces the questions that were last asked, and see how much the answers differ. Nothing is written.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/embedding-change/compare", tag = "projects",
    request_body = CompareEmbeddings, params(("project_id" = String, Path)),
    responses((status = 200, description = "How much answers differ", body = EmbeddingComparison),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn compare_embeddings(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CompareEmbeddings>,
) -> Result<Json<EmbeddingComparison>, ApiError> {
    let asked = wire::comparison_request(&request.body);
    let comparison = app.engine.compare_embeddings(&caller.visitor, &asked).await?;
    Ok(Json(wire::comparison(comparison)))
}

/// Let questions go to the new space. New memories are still placed in both.
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
    let change = app.engine.switch_embedding(&caller.visitor, threshold, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// Let questions go to the old space again. A change that was never switched is given up.
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
    let change = app.engine.roll_embedding_back(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}

/// End the change: the space that is read stays, the vectors of the other one are removed.
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
    let change = app.engine.finish_embedding_change(&caller.visitor, &caller.actor).await?;
    Ok(Json(wire::embedding_change(change)))
}
