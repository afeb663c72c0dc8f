//! Retrieval of memories.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use reflect_api::{AugmentTask, AugmentedTask, ErrorBody, Memory, QueryMemories, Retrieval};
use reflect_engine::{BlockForm, RetrievedMemories};
use reflect_types::RetrievalId;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Find memories that may help with a task, best first.
///
/// The body is an array. The header `X-Retrieval-Id` contains the receipt: a trace can send it as `retrieval_id`
/// instead of the memory ids. The header `X-Reflect-Degraded` is present if a keyword search was used because the
/// semantic search failed, and contains the reason. The header `X-Reflect-Unrecorded` is present if the receipt could not
/// be stored, and contains the reason: a trace with this `retrieval_id` then changes no memory. Memories with the same
/// lesson are returned once; `support` says for how many of the best ones, and `runs` how many runs taught the lesson.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memory/query", tag = "memories", request_body = QueryMemories,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "Best first", body = Vec<Memory>,
               headers(("X-Retrieval-Id" = String, description = "The receipt"),
                       ("X-Reflect-Degraded" = String, description = "Why only a keyword search was used"),
                       ("X-Reflect-Unrecorded" = String, description = "Why there is no receipt"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn query_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<QueryMemories>,
) -> Result<Response, ApiError> {
    let recalled = app.engine.retriever.retrieve(&caller.visitor, &wire::question(request.body)).await?;
    Ok((receipt(&recalled), Json(wire::memories(recalled))).into_response())
}

/// Get a task with its memories as text, for an agent's prompt.
///
/// The text has at most five lessons. `memory_block` has the lessons without the task, for a system prompt.
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
    let AugmentTask { query, max_tokens, include_ids } = request.body;
    let (question, form) =
        (wire::question(query), BlockForm { max_tokens, include_ids: include_ids.unwrap_or(false) });
    let augmented = app.engine.retriever.augment(&caller.visitor, &question, form).await?;
    Ok((receipt(&augmented.recalled), Json(wire::augmented(question.task, augmented))).into_response())
}

/// Get a receipt: which memories were considered for a task, and why some were not served.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/retrievals/{retrieval_id}", tag = "memories",
    params(("project_id" = String, Path), ("retrieval_id" = String, Path)),
    responses((status = 200, description = "The receipt. It is stored for 30 days", body = Retrieval),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_retrieval(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Retrieval>, ApiError> {
    let id: RetrievalId = id.parse().map_err(|_| ApiError::not_found("retrieval"))?;
    let receipt = app.engine.store.project(caller.visitor.project).receipts().get(id).await?;
    Ok(Json(wire::retrieval(receipt)))
}

fn receipt(recalled: &RetrievedMemories) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Ok(id) = HeaderValue::from_str(&recalled.retrieval_id.to_string()) {
        headers.insert("x-retrieval-id", id);
    }
    if let Some(reason) = &recalled.degraded {
        headers.insert("x-reflect-degraded", reason_value(reason));
    }
    if let Some(reason) = &recalled.unrecorded {
        headers.insert("x-reflect-unrecorded", reason_value(reason));
    }
    headers
}

/// A provider's message may contain characters that a header may not.
fn reason_value(reason: &str) -> HeaderValue {
    let reason: String = reason.chars().filter(|c| c.is_ascii() && !c.is_ascii_control()).take(200).collect();
    HeaderValue::from_str(&reason).unwrap_or(HeaderValue::from_static("yes"))
}
