//! Lessons and their memories: lists, details, grouping, splitting and moving.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use reflect_api::{
    CurationAnswer, ErrorBody, GroupLessons, LessonAnswer, LessonDetail, ListLessons, MemorySort,
    MoveSituation, SplitLesson, StoredLesson,
};
use reflect_store::Curated;
use reflect_types::LessonId;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::paging::{PageQuery, page};
use crate::wire;

type Changed = Result<Json<LessonAnswer>, ApiError>;

/// List lessons. Each has one text for one or more memories.
///
/// The body is an array of at most 100. If there are more, send the header `X-Next-Cursor` as `cursor`. The texts are the
/// stored ones: do not put them into a prompt.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/lessons", tag = "lessons",
    params(("project_id" = String, Path),
           ("q" = Option<String>, Query,
            description = "A filter such as `status:active credit:<0.5 refund`, at most 1000 characters. A lesson matches if \
                           one of its memories matches."),
           ("sort" = Option<MemorySort>, Query, description = "Default: newest"),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Lessons", body = Vec<StoredLesson>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_lessons(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListLessons>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query?;
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let after = paging.cursor()?.map(LessonId::from_uuid);
    let wanted = wire::lesson_page(&query, after, paging.limit()?, SystemTime::now().into())?;
    let (lessons, next) = app.engine.lesson_bank.list(&caller.visitor, &wanted).await?;
    let lessons: Vec<StoredLesson> = lessons.into_iter().map(wire::lesson).collect();
    Ok(page(lessons, next.map(LessonId::as_uuid)))
}

/// Get a lesson with its newest memories, at most 100.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/lessons/{lesson_id}", tag = "lessons",
    params(("project_id" = String, Path), ("lesson_id" = String, Path)),
    responses((status = 200, description = "The lesson", body = LessonDetail),
              (status = 404, description = "No such lesson in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_lesson(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<LessonDetail>, ApiError> {
    let id = wire::lesson_id(&id)?;
    let lesson = app.engine.lesson_bank.get(&caller.visitor, id).await?;
    let (memories, _) = app.engine.memories.list(&caller.visitor, &wire::memories_of_lesson(id)).await?;
    Ok(Json(wire::lesson_detail(lesson, memories)))
}

/// Group lessons into one. No number changes, and every memory keeps its own words.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/lessons/group", tag = "lessons", request_body = GroupLessons,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The lesson that stays", body = LessonAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn group_lessons(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<GroupLessons>,
) -> Changed {
    let GroupLessons { into, lesson_ids } = request.body;
    let curated = app.engine.lesson_bank.group(&caller.visitor, into, &lesson_ids, &caller.actor).await?;
    answer(&app, &caller, into, curated).await
}

/// Split memories out of a lesson. They become a lesson of their own.
///
/// Their lesson has the words of the oldest of them. Undo the action to revert it.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/lessons/{lesson_id}/split", tag = "lessons", request_body = SplitLesson,
    params(("project_id" = String, Path), ("lesson_id" = String, Path)),
    responses((status = 200, description = "The lesson of the named memories", body = LessonAnswer),
              (status = 409, description = "A memory is not part of this lesson or is merged into another one, or none would stay",
               body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn split_lesson(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<SplitLesson>,
) -> Changed {
    let (id, memories) = (wire::lesson_id(&id)?, request.body.memory_ids);
    let (new, curated) = app.engine.lesson_bank.split(&caller.visitor, id, &memories, &caller.actor).await?;
    answer(&app, &caller, new, curated).await
}

/// Move a memory to another lesson.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/memories/{memory_id}/move", tag = "lessons", request_body = MoveSituation,
    params(("project_id" = String, Path), ("memory_id" = String, Path)),
    responses((status = 200, description = "The memory after the change", body = CurationAnswer),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn move_memory(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<MoveSituation>,
) -> Result<Json<CurationAnswer>, ApiError> {
    let (id, to) = (wire::memory_id(&id)?, request.body.lesson_id);
    let curated = app.engine.lesson_bank.move_situation(&caller.visitor, id, to, &caller.actor).await?;
    let memory = app.engine.memories.get(&caller.visitor, id).await?;
    Ok(Json(wire::curation_answer(curated, memory)))
}

/// The action, and the lesson after it.
async fn answer(app: &App, caller: &Caller, lesson: LessonId, curated: Curated) -> Changed {
    let lesson = app.engine.lesson_bank.get(&caller.visitor, lesson).await?;
    Ok(Json(LessonAnswer { action_id: curated.action_id, lesson: wire::lesson(lesson) }))
}
