//! Stored memories: lists, details, history, uses and neighbours.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use reflect_api::{
    ErrorBody, ListMemories, MemoryDetail, MemoryHistory, MemoryNeighbour, MemorySort, MemoryUse,
    StoredMemory,
};
use reflect_types::{MemoryId, ReviewId};
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::paging::{PageQuery, page};
use crate::wire;

const LONGEST_HISTORY: usize = 1000;
const MOST_NEIGHBOURS: u32 = 50;
const USUAL_NEIGHBOURS: u32 = 10;

/// List stored memories of any status.
///
/// Memories with the same lesson and status are listed once, with `runs`, their number; `include_same_lesson` lists all of
/// them. The body is an array of at most 100. If there are more, send the header `X-Next-Cursor` as `cursor`. The texts are
/// the stored ones: do not put them into a prompt.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories", tag = "care",
    params(("project_id" = String, Path),
           ("status" = Option<String>, Query, description = "Statuses, separated by commas"),
           ("origin" = Option<String>, Query, description = "Origins, separated by commas"),
           ("pinned" = Option<bool>, Query), ("utility_below" = Option<f64>, Query),
           ("utility_above" = Option<f64>, Query), ("credit_below" = Option<f64>, Query),
           ("credit_above" = Option<f64>, Query), ("evidence_at_least" = Option<i32>, Query),
           ("author_key_id" = Option<String>, Query), ("source_trace_id" = Option<String>, Query),
           ("created_after" = Option<String>, Query), ("created_before" = Option<String>, Query),
           ("text" = Option<String>, Query, description = "Part of the task or the lesson, ignoring case"),
           ("same_lesson_as" = Option<String>, Query, description = "All memories with the lesson of this memory"),
           ("lesson_id" = Option<String>, Query, description = "All memories of this lesson"),
           ("superseded" = Option<bool>, Query, description = "Superseded by newer evidence, or not"),
           ("include_same_lesson" = Option<bool>, Query,
            description = "Whether memories that repeat the lesson of a listed memory are listed too. Default: false"),
           ("q" = Option<String>, Query,
            description = "A filter such as `status:active credit:<0.5 refund`, at most 1000 characters. It can be combined \
                           with the other parameters; all of them must match."),
           ("sort" = Option<MemorySort>, Query, description = "Default: newest"),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Memories", body = Vec<StoredMemory>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListMemories>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query?;
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let after = paging.cursor()?.map(MemoryId::from_uuid);
    let wanted = wire::memory_page(query, after, paging.limit()?, SystemTime::now().into())?;
    let (memories, next) = app.engine.memories.list(&caller.visitor, &wanted).await?;
    let memories: Vec<StoredMemory> = memories.into_iter().map(wire::stored_memory).collect();
    Ok(page(memories, next.map(MemoryId::as_uuid)))
}

/// Get a stored memory with its provenance and versions.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory", body = MemoryDetail),
              (status = 404, description = "No such memory in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<MemoryDetail>, ApiError> {
    Ok(Json(wire::memory_detail(app.engine.memories.detail(&caller.visitor, wire::memory_id(&id)?).await?)))
}

/// Get all reviews that moved a memory and all its changes, oldest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/history", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The history", body = MemoryHistory),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_memory_history(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<MemoryHistory>, ApiError> {
    let id = wire::memory_id(&id)?;
    let project = app.engine.store.project(caller.visitor.project);
    Ok(Json(wire::memory_history(id, project.memories().history(id, LONGEST_HISTORY).await?)))
}

/// List the reviewed traces that had a memory, newest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/uses", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<MemoryUse>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memory_uses(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(paging) = query?;
    let (id, limit) = (wire::memory_id(&id)?, paging.limit()?);
    let before = paging.cursor()?.map(ReviewId::from_uuid);
    let project = app.engine.store.project(caller.visitor.project);
    let (uses, next) = project.memories().uses(id, before, limit).await?;
    let uses: Vec<MemoryUse> = uses.into_iter().map(wire::memory_use).collect();
    Ok(page(uses, next.map(ReviewId::as_uuid)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct NeighbourQuery {
    limit: Option<u32>,
}

/// List the memories with the most similar tasks, of any status.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/neighbours", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 50. Default: 10")),
    responses((status = 200, description = "Nearest first. Empty without a vector", body = Vec<MemoryNeighbour>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memory_neighbours(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<NeighbourQuery>, QueryRejection>,
) -> Result<Json<Vec<MemoryNeighbour>>, ApiError> {
    let most = query?.limit.unwrap_or(USUAL_NEIGHBOURS);
    if !(1..=MOST_NEIGHBOURS).contains(&most) {
        return Err(ApiError::invalid(format!(
            "limit is {most}; it must be between 1 and {MOST_NEIGHBOURS}"
        )));
    }
    let near = app.engine.memories.list_neighbours(&caller.visitor, wire::memory_id(&id)?, most).await?;
    Ok(Json(near.into_iter().map(wire::memory_neighbour).collect()))
}
