//! Calls about lessons: reading, grouping, and questions about contradictions.

use reflect_api::{
    AnswerQuestion, CurationAnswer, GroupLessons, LessonAnswer, LessonDetail, LessonGroupingStatus,
    LessonQuestion, ListLessons, ListQuestions, MoveSituation, QuestionAnswer, SplitLesson, StoredLesson,
};
use reflect_types::{LessonId, MemoryId};
use serde_json::json;
use uuid::Uuid;

use super::curation::memory_path;
use super::memories::sort_word;
use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::paging::Page;
use crate::wire::Request;

/// Calls about lessons, each of which holds one or more memories: `client.lessons`.
#[derive(Debug, Clone)]
pub struct LessonCalls {
    pub(crate) connection: Connection,
}

impl LessonCalls {
    /// One page of lessons, newest first unless the request names another order.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::ListLessons;
    ///
    /// let request = ListLessons { q: Some("status:active refund".into()), ..Default::default() };
    /// for lesson in client.lessons.page(&request).await?.items {
    ///     println!("{} ({} of {} runs passed)", lesson.summary, lesson.passed_runs, lesson.runs);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page(&self, request: &ListLessons) -> Result<Page<StoredLesson>, Error> {
        let parameters = [
            ("q", request.q.clone()),
            ("sort", request.sort.map(|sort| sort_word(sort).to_owned())),
            ("limit", request.limit.map(|limit| limit.to_string())),
            ("cursor", request.cursor.clone()),
        ];
        let path = with_query(self.connection.path(&["lessons"]), &parameters);
        self.connection.page("lessons.page", path).await
    }

    /// A lesson with its newest memories, at most 100.
    pub async fn get(&self, lesson_id: LessonId) -> Result<LessonDetail, Error> {
        let path = self.connection.path(&["lessons", &lesson_id.to_string()]);
        self.connection.ask("lessons.get", Request::get(path)).await
    }

    /// Groups lessons into one. Every memory keeps its task, its numbers and its own words.
    pub async fn group(&self, request: &GroupLessons) -> Result<LessonAnswer, Error> {
        let path = self.connection.path(&["lessons", "group"]);
        self.connection.ask("lessons.group", Request::post(path, request)?).await
    }

    /// Splits memories out of a lesson. They become a lesson of their own, which is returned.
    pub async fn split(&self, lesson_id: LessonId, request: &SplitLesson) -> Result<LessonAnswer, Error> {
        let path = self.connection.path(&["lessons", &lesson_id.to_string(), "split"]);
        self.connection.ask("lessons.split", Request::post(path, request)?).await
    }

    /// Moves a memory to another lesson.
    pub async fn move_situation(
        &self,
        memory_id: MemoryId,
        lesson_id: LessonId,
    ) -> Result<CurationAnswer, Error> {
        let path = memory_path(&self.connection, memory_id, Some("move"));
        self.connection
            .ask("lessons.move_situation", Request::post(path, &MoveSituation { lesson_id })?)
            .await
    }

    /// One page of lessons that contradict each other, newest first. By default those without an answer.
    pub async fn questions(&self, request: &ListQuestions) -> Result<Page<LessonQuestion>, Error> {
        let parameters = [
            ("open", request.open.map(|open| open.to_string())),
            ("limit", request.limit.map(|limit| limit.to_string())),
            ("cursor", request.cursor.clone()),
        ];
        let path = with_query(self.connection.path(&["lesson-questions"]), &parameters);
        self.connection.page("lessons.questions", path).await
    }

    /// Answers a question. What follows from the answer is an action that can be undone.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{ListQuestions, QuestionAnswer};
    ///
    /// for question in client.lessons.questions(&ListQuestions::default()).await?.items {
    ///     println!("{}\nor\n{}", question.first.reflection, question.second.reflection);
    ///     client.lessons.answer(question.id, QuestionAnswer::Second).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn answer(&self, question_id: Uuid, answer: QuestionAnswer) -> Result<LessonQuestion, Error> {
        let path = self.connection.path(&["lesson-questions", &question_id.to_string(), "answer"]);
        self.connection.ask("lessons.answer", Request::post(path, &AnswerQuestion { answer })?).await
    }

    /// The progress of the grouping of memories that existed before lessons were grouped.
    pub async fn grouping(&self) -> Result<LessonGroupingStatus, Error> {
        let path = self.connection.path(&["lesson-grouping"]);
        self.connection.ask("lessons.grouping", Request::get(path)).await
    }

    /// Groups existing memories in the background, again after a revert.
    pub async fn start_grouping(&self) -> Result<LessonGroupingStatus, Error> {
        let path = self.connection.path(&["lesson-grouping", "start"]);
        self.connection.ask("lessons.start_grouping", Request::post(path, &json!({}))?).await
    }

    /// Undoes all automatic grouping and switches it off. The server stops after 80 seconds; call it again to continue.
    /// That is longer than the usual timeout of a call: see [`with_timeout`](crate::ReflectClient::with_timeout).
    pub async fn revert_grouping(&self) -> Result<LessonGroupingStatus, Error> {
        let path = self.connection.path(&["lesson-grouping", "revert"]);
        self.connection.ask("lessons.revert_grouping", Request::post(path, &json!({}))?).await
    }
}
