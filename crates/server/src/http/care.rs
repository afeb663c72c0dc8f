//! Care for memories: writing, editing, merging them, taking them out of use and back.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{
    BulkAnswer, BulkCare, CareAnswer, EditMemory, EraseMemory, ErrorBody, MergeMemories, WriteMemory,
};
use reflect_engine::Verb;
use reflect_store::Cared;
use reflect_types::MemoryId;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

type Changed = Result<Json<CareAnswer>, ApiError>;

/// Write a memory by hand.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories", tag = "care", request_body = WriteMemory,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The memory", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn write_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<WriteMemory>,
) -> Result<(StatusCode, Json<CareAnswer>), ApiError> {
    let (lesson, claim) = (wire::manual_lesson(request.body), request.claim.as_ref());
    let cared = app.engine.write_memory(&caller.visitor, lesson, &caller.actor, claim).await?;
    let memory = cared.changed.first().copied().ok_or_else(ApiError::internal)?;
    Ok((StatusCode::CREATED, answer(&app, &caller, memory, cared).await?))
}

/// Change the text of a memory. What is absent stays.
///
/// The text before is kept as a version. The utility stays, and its evidence is halved when the task or the
/// lesson is another one.
#[utoipa::path(
    patch, path = "/v1/projects/{project_id}/memories/{memory_id}", tag = "care", request_body = EditMemory,
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = 409, description = "It was edited since it was read, or is not there to edit", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn edit_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<EditMemory>,
) -> Changed {
    let (id, edit) = (wire::memory_id(&id)?, wire::lesson_edit(request.body));
    let cared = app.engine.edit_memory(&caller.visitor, id, edit, &caller.actor).await?;
    answer(&app, &caller, id, cared).await
}

/// Make one memory of several. Their utilities are pooled, and the others point at the one that stays.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/merge", tag = "care", request_body = MergeMemories,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The memory that stays", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn merge_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<MergeMemories>,
) -> Changed {
    let merge = wire::merge(request.body)?;
    let survivor = merge.survivor;
    let cared = app.engine.merge_memories(&caller.visitor, merge, &caller.actor).await?;
    answer(&app, &caller, survivor, cared).await
}

/// Do something to all memories that a filter describes, or find out what that would be.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/bulk", tag = "care", request_body = BulkCare,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "What was done, or would be", body = BulkAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_memories(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<BulkCare>,
) -> Result<Json<BulkAnswer>, ApiError> {
    let (verb, dry_run) = (request.body.action, request.body.dry_run);
    let bulk = wire::bulk(request.body)?;
    let outcome = app.engine.care_for_all(&caller.visitor, &bulk, &caller.actor).await?;
    Ok(Json(wire::bulk_answer(outcome, verb, dry_run)))
}

/// Delete a memory. It is served no more and can be brought back; its text stays until it is erased.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/memories/{memory_id}", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Delete).await
}

/// Remove what a memory says, all versions of it, for good. Its numbers stay.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/erase", tag = "care", request_body = EraseMemory,
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "What is left of it", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn erase_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<EraseMemory>,
) -> Changed {
    let id = wire::memory_id(&id)?;
    let cared = app.engine.erase_memory(&caller.visitor, id, &request.body.memory_id, &caller.actor).await?;
    answer(&app, &caller, id, cared).await
}

/// Take a memory out of use. Its history is kept.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/disable", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn disable_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Disable).await
}

/// Bring a memory back after it was disabled or deleted.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/enable", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn enable_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Enable).await
}

/// Answer every question with this memory first, whatever their similarity; filters still apply.
///
/// At most five memories of a project are pinned; a sixth is 409, and the message names the five.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/pin", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn pin_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Pin).await
}

/// Pin a memory no more.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/unpin", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn unpin_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Unpin).await
}

/// Serve a memory no more until somebody vouches for it.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/quarantine", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn quarantine_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Quarantine).await
}

/// Vouch for a memory that is quarantined.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/release", tag = "care",
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory as it is now", body = CareAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn release_memory(
    app: State<Arc<App>>,
    caller: Caller,
    path: Path<(String, String)>,
) -> Changed {
    change(app, caller, path, Verb::Release).await
}

async fn change(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    verb: Verb,
) -> Changed {
    let id = wire::memory_id(&id)?;
    let cared = app.engine.care_for(&caller.visitor, id, verb, &caller.actor).await?;
    answer(&app, &caller, id, cared).await
}

/// What was done, and the memory as it is now.
async fn answer(app: &App, caller: &Caller, memory: MemoryId, cared: Cared) -> Changed {
    let memory = app.engine.store().project(caller.visitor.project).stored_memory(memory).await?;
    Ok(Json(wire::care_answer(cared, memory)))
}
