//! Memories as they are stored: lists, one with where it came from, its history, its uses, its neighbours.

use std::sync::Arc;

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
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::paging::{PageQuery, page};
use crate::wire;

const LONGEST_HISTORY: usize = 1000;
const MOST_NEIGHBOURS: u32 = 50;
const USUAL_NEIGHBOURS: u32 = 10;

/// List memories as they are stored, whatever their status.
///
/// The body is a bare array of at most 100. When there are more, the header `X-Next-Cursor` holds what to send
/// as `cursor`. Texts are the stored ones: do not paste them into a prompt.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories", tag = "care",
    params(("project_id" = String, Path),
           ("status" = Option<String>, Query, description = "Statuses, between commas"),
           ("origin" = Option<String>, Query, description = "Origins, between commas"),
           ("pinned" = Option<bool>, Query), ("utility_below" = Option<f64>, Query),
           ("utility_above" = Option<f64>, Query), ("credit_below" = Option<f64>, Query),
           ("credit_above" = Option<f64>, Query), ("evidence_at_least" = Option<i32>, Query),
           ("author_key_id" = Option<String>, Query), ("source_trace_id" = Option<String>, Query),
           ("created_after" = Option<String>, Query), ("created_before" = Option<String>, Query),
           ("text" = Option<String>, Query, description = "Part of the task or the lesson, in any case"),
           ("sort" = Option<MemorySort>, Query, description = "newest when absent"),
           ("limit" = Option<u32>, Query, description = "1 to 100; 100 when absent"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Memories", body = Vec<StoredMemory>,
               headers(("X-Next-Cursor" = String, description = "There is more: send it as `cursor`"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListMemories>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query?;
    let asked = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let (after, sort) = (asked.cursor()?.map(MemoryId::from_uuid), query.sort.unwrap_or_default());
    let project = app.engine.store().project(caller.visitor.project);
    let selection = wire::listed(query)?;
    let (memories, next) =
        project.list_memories(&selection, wire::memory_sort(sort), after, asked.limit()?).await?;
    let memories: Vec<StoredMemory> = memories.into_iter().map(wire::stored_memory).collect();
    Ok(page(memories, next.map(MemoryId::as_uuid)))
}

/// Read one memory as it is stored, where it came from, and what it has said before.
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
    let project = app.engine.store().project(caller.visitor.project);
    Ok(Json(wire::memory_detail(project.memory_detail(wire::memory_id(&id)?).await?)))
}

/// See every review that moved a memory and everything that was done to it, oldest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/history", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "Its history", body = MemoryHistory),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_memory_history(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<MemoryHistory>, ApiError> {
    let id = wire::memory_id(&id)?;
    let project = app.engine.store().project(caller.visitor.project);
    Ok(Json(wire::memory_history(id, project.memory_history(id, LONGEST_HISTORY).await?)))
}

/// List the reviewed runs that had a memory, newest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/uses", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100; 100 when absent"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<MemoryUse>,
               headers(("X-Next-Cursor" = String, description = "There is more: send it as `cursor`"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memory_uses(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(asked) = query?;
    let (id, limit) = (wire::memory_id(&id)?, asked.limit()?);
    let before = asked.cursor()?.map(ReviewId::from_uuid);
    let project = app.engine.store().project(caller.visitor.project);
    let (uses, next) = project.memory_uses(id, before, limit).await?;
    let uses: Vec<MemoryUse> = uses.into_iter().map(wire::memory_use).collect();
    Ok(page(uses, next.map(ReviewId::as_uuid)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct NeighbourQuery {
    limit: Option<u32>,
}

/// List the memories whose tasks are nearest to that of this one, whether they may be served or not.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/memories/{memory_id}/neighbours", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 50; 10 when absent")),
    responses((status = 200, description = "Nearest first; empty when it has no vector", body = Vec<MemoryNeighbour>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_memory_neighbours(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<NeighbourQuery>, QueryRejection>,
) -> Result<Json<Vec<MemoryNeighbour>>, ApiError> {
    let most = query?.limit.unwrap_or(USUAL_NEIGHBOURS);
    if !(1..=MOST_NEIGHBOURS).contains(&most) {
        return Err(ApiError::invalid(format!("limit must lie between 1 and {MOST_NEIGHBOURS}")));
    }
    let near = app.engine.memory_neighbours(&caller.visitor, wire::memory_id(&id)?, most).await?;
    Ok(Json(near.into_iter().map(wire::memory_neighbour).collect()))
}
