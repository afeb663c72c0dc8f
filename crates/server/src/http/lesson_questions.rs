//! Questions about lessons that contradict each other, and their answers.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use reflect_api::{AnswerQuestion, ErrorBody, LessonQuestion, ListQuestions};
use uuid::Uuid;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// List pairs of lessons that contradict each other and that evidence does not decide, newest first.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/lesson-questions", tag = "lessons",
    params(("project_id" = String, Path),
           ("open" = Option<bool>, Query,
            description = "True: questions without an answer. False: answered ones. Default: true"),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<LessonQuestion>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_lesson_questions(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListQuestions>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(ListQuestions { open, limit, cursor }) = query?;
    let paging = PageQuery { limit, cursor };
    let (before, limit, is_open) = (paging.cursor()?, paging.limit()?, open.unwrap_or(true));
    let (questions, next) = app.engine.lesson_bank.questions(&caller.visitor, is_open, before, limit).await?;
    let questions: Vec<LessonQuestion> = questions.into_iter().map(wire::lesson_question).collect();
    Ok(page(questions, next))
}

/// Answer a question. The change that follows from the answer is an action that can be undone.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/lesson-questions/{question_id}/answer", tag = "lessons",
    request_body = AnswerQuestion,
    params(("project_id" = String, Path), ("question_id" = String, Path)),
    responses((status = 200, description = "The question with its answer", body = LessonQuestion),
              (status = 409, description = "It was answered", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn answer_lesson_question(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<AnswerQuestion>,
) -> Result<Json<LessonQuestion>, ApiError> {
    let id: Uuid = id.parse().map_err(|_| ApiError::not_found("question"))?;
    let answer = request.body.answer;
    let question = app.engine.lesson_bank.answer(&caller.visitor, id, answer, &caller.actor).await?;
    Ok(Json(wire::lesson_question(question)))
}
