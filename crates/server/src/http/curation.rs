//! Curation: writing, editing, merging, disabling and enabling memories.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{
    BulkAnswer, CurateMemories, CurationAnswer, EditMemory, EraseMemory, ErrorBody, MergeMemories,
    WriteMemory,
};
use reflect_engine::CurationAction;
use reflect_store::Curated;
use reflect_types::MemoryId;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

type Changed = Result<Json<CurationAnswer>, ApiError>;

/// Write a memory by hand, or import one. An imported memory is quarantined.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories", tag = "care", request_body = WriteMemory,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The memory", body = CurationAnswer),
              (status = 200, description = "The memory that the item became in an earlier import", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn write_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<WriteMemory>,
) -> Result<(StatusCode, Json<CurationAnswer>), ApiError> {
    let (lesson, claim) = (wire::manual_lesson(request.body), request.claim.as_ref());
    let curated = app.engine.curation.write(&caller.visitor, lesson, &caller.actor, claim).await?;
    let memory = curated.changed.first().copied().ok_or_else(ApiError::internal)?;
    let status = if curated.action_id.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, answer(&app, &caller, memory, curated).await?))
}

/// Change the text of a memory. Absent fields stay unchanged.
///
/// The old text is kept as a version. The utility stays unchanged. Its evidence is halved if the task or the lesson
/// changes.
#[utoipa::path(
    patch, path = "/v1/projects/{project_id}/memories/{memory_id}", tag = "care", request_body = EditMemory,
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = 409, description = "It was edited in the meantime, or it cannot be edited", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn edit_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<EditMemory>,
) -> Changed {
    let (id, edit) = (wire::memory_id(&id)?, wire::lesson_edit(request.body));
    let curated = app.engine.curation.edit(&caller.visitor, id, edit, &caller.actor).await?;
    answer(&app, &caller, id, curated).await
}

/// Merge memories into one. Their utilities are pooled, and the others point to the memory that is kept.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/merge", tag = "care", request_body = MergeMemories,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The memory that is kept", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn merge_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<MergeMemories>,
) -> Changed {
    let merge = wire::merge(request.body)?;
    let survivor = merge.survivor;
    let curated = app.engine.curation.merge(&caller.visitor, merge, &caller.actor).await?;
    answer(&app, &caller, survivor, curated).await
}

/// Change all memories that match a filter, or preview the change.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/bulk", tag = "care", request_body = CurateMemories,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The result, or the preview", body = BulkAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CurateMemories>,
) -> Result<Json<BulkAnswer>, ApiError> {
    let (action, dry_run) = (request.body.action, request.body.dry_run);
    let bulk = wire::bulk(request.body, SystemTime::now().into())?;
    let outcome = app.engine.curation.apply_to_selection(&caller.visitor, &bulk, &caller.actor).await?;
    Ok(Json(wire::bulk_answer(outcome, action, dry_run)))
}

/// Delete a memory. It is no longer served. It can be enabled again; its text is kept until it is erased.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/memories/{memory_id}", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Delete).await
}

/// Permanently remove all versions of a memory's text. Its numbers are kept.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/erase", tag = "care", request_body = EraseMemory,
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory without its text", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn erase_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<EraseMemory>,
) -> Changed {
    let id = wire::memory_id(&id)?;
    let curated =
        app.engine.curation.erase(&caller.visitor, id, &request.body.memory_id, &caller.actor).await?;
    answer(&app, &caller, id, curated).await
}

/// Stop serving a memory. Its history is kept.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/disable", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn disable_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Disable).await
}

/// Enable a memory after it was disabled or deleted.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/enable", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn enable_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Enable).await
}

/// Return this memory first in every retrieval, regardless of similarity. Filters still apply.
///
/// A project can have at most five pinned memories. A sixth is refused with 409, and the message names the five.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/pin", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn pin_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Pin).await
}

/// Unpin a memory.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/unpin", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn unpin_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Unpin).await
}

/// Stop serving a memory until it is released.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/quarantine", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn quarantine_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Quarantine).await
}

/// Release a memory from quarantine.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/release", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn release_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, CurationAction::Release).await
}

async fn change(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    action: CurationAction,
) -> Changed {
    let id = wire::memory_id(&id)?;
    let curated = app.engine.curation.apply(&caller.visitor, id, action, &caller.actor).await?;
    answer(&app, &caller, id, curated).await
}

/// The action, and the memory after it.
async fn answer(app: &App, caller: &Caller, memory: MemoryId, curated: Curated) -> Changed {
    let memory = app.engine.memories.get(&caller.visitor, memory).await?;
    Ok(Json(wire::curation_answer(curated, memory)))
}
