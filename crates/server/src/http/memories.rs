//! Memories: the ones that may help with a task.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use reflect_api::{AugmentTask, AugmentedTask, ErrorBody, Memory, QueryMemories, Retrieval};
use reflect_engine::Recalled;
use reflect_types::RetrievalId;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Find the memories that may help with a task, best first.
///
/// The body is a bare array. The header `X-Retrieval-Id` holds the receipt: a trace may send it as
/// `retrieval_id` instead of the ids. `X-Reflect-Degraded` is there when memories were found by their
/// words because they could not be found by meaning, and says why.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memory/query", tag = "memories", request_body = QueryMemories,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Best first", body = Vec<Memory>,
               headers(("X-Retrieval-Id" = String, description = "The receipt"),
                       ("X-Reflect-Degraded" = String, description = "Why this was a search for words only"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn query_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<QueryMemories>,
) -> Result<Response, ApiError> {
    let recalled = app.engine.retrieve(&caller.visitor, &wire::question(request.body)).await?;
    Ok((receipt(&recalled), Json(wire::memories(recalled))).into_response())
}

/// Write what is known about tasks like this one below the task, for an agent's prompt.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memory/augment", tag = "memories", request_body = AugmentTask,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The task with its memories", body = AugmentedTask),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn augment_task(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<AugmentTask>,
) -> Result<Response, ApiError> {
    let AugmentTask { query, max_tokens } = request.body;
    let question = wire::question(query);
    let augmented = app.engine.augment(&caller.visitor, &question, max_tokens).await?;
    Ok((receipt(&augmented.recalled), Json(wire::augmented(question.task, augmented))).into_response())
}

/// See what was considered for a task, and why what was not served was not.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/retrievals/{retrieval_id}", tag = "memories",
    params(("project_id" = String, Path), ("retrieval_id" = String, Path)),
    responses((status = 200, description = "The receipt; kept for 30 days", body = Retrieval),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_retrieval(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Retrieval>, ApiError> {
    let id: RetrievalId = id.parse().map_err(|_| ApiError::not_found("retrieval"))?;
    let receipt = app.engine.store().project(caller.visitor.project).receipt(id).await?;
    Ok(Json(wire::retrieval(receipt)))
}

fn receipt(recalled: &Recalled) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Ok(id) = HeaderValue::from_str(&recalled.retrieval_id.to_string()) {
        headers.insert("x-retrieval-id", id);
    }
    if let Some(reason) = &recalled.degraded {
        // A provider's words may hold anything; a header may not.
        let reason: String =
            reason.chars().filter(|c| c.is_ascii() && !c.is_ascii_control()).take(200).collect();
        headers.insert(
            "x-reflect-degraded",
            HeaderValue::from_str(&reason).unwrap_or(HeaderValue::from_static("yes")),
        );
    }
    headers
}
