//! Pairs of lessons that contradict each other and that evidence cannot decide.

use chrono::{DateTime, Utc};
use reflect_types::{Credit, LessonId, MemoryId, QuestionAnswer, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::ids::ActionId;

/// The questions of a project about its lessons.
#[derive(Debug, Clone, Copy)]
pub struct QuestionStore<'a> {
    pub(super) db: &'a ProjectDb,
}

/// A question about two lessons.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionRow {
    /// Its id.
    pub question_id: Uuid,
    /// The similarity of the two tasks.
    pub similarity: f32,
    /// When it arose.
    pub created_at: DateTime<Utc>,
    /// The answer. `None` while it is open, and after the answer was undone.
    pub answer: Option<QuestionAnswer>,
    /// The action of the answer. Undoing it opens the question again.
    pub action_id: Option<ActionId>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// When it was answered.
    pub answered_at: Option<DateTime<Utc>>,
    /// The older lesson.
    pub first: QuestionSide,
    /// The other one.
    pub second: QuestionSide,
}

/// One of the two lessons, in the situation in which the contradiction was noticed.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSide {
    /// The lesson that the situation has now.
    pub lesson_id: LessonId,
    /// The situation.
    pub memory_id: MemoryId,
    /// Its task.
    pub task: String,
    /// The text of its lesson.
    pub reflection: String,
    /// Its run.
    pub source_trace: Option<TraceId>,
    /// Its credit.
    pub credit: Credit,
}

/// A question and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredQuestion {
    /// The question.
    pub question_id: Uuid,
    /// The answer.
    pub answer: QuestionAnswer,
}

impl FromRow<'_, PgRow> for QuestionRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let answer: Option<i16> = row.try_get("answer")?;
        Ok(Self {
            question_id: row.try_get("question_id")?,
            similarity: row.try_get("similarity")?,
            created_at: row.try_get("created_at")?,
            answer: answer.map(|code| coded(QuestionAnswer::from_code(code))).transpose()?,
            action_id: row.try_get("action_id")?,
            answered_by: row.try_get("answered_by")?,
            answered_at: row.try_get("answered_at")?,
            first: side(row, "first")?,
            second: side(row, "second")?,
        })
    }
}

fn side(row: &PgRow, which: &str) -> Result<QuestionSide, sqlx::Error> {
    let column = |name: &str| format!("{which}_{name}");
    let evidence = row.try_get(column("evidence").as_str())?;
    Ok(QuestionSide {
        lesson_id: row.try_get(column("lesson").as_str())?,
        memory_id: row.try_get(column("memory").as_str())?,
        task: row.try_get(column("task").as_str())?,
        reflection: row.try_get(column("reflection").as_str())?,
        source_trace: row.try_get(column("trace").as_str())?,
        credit: Credit::stored(row.try_get(column("credit").as_str())?, evidence),
    })
}

impl QuestionStore<'_> {
    /// Questions before a cursor, newest first, and the cursor to go on from: open ones, or answered ones.
    pub async fn list(
        &self,
        is_open: bool,
        before: Option<Uuid>,
        limit: u32,
    ) -> Result<(Vec<QuestionRow>, Option<Uuid>), StoreError> {
        let mut rows = read_questions(self.db, None, Some(is_open), before, i64::from(limit) + 1).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|last| last.question_id);
        Ok((rows, next))
    }

    /// One question.
    pub async fn get(&self, id: Uuid) -> Result<QuestionRow, StoreError> {
        let found = read_questions(self.db, Some(id), None, None, 1).await?;
        found.into_iter().next().ok_or(StoreError::NotFound { what: "question" })
    }

    /// How many questions are open. Counting ends at 1000.
    pub async fn count_open(&self) -> Result<i64, StoreError> {
        let mut transaction = self.db.read().await?;
        let count = sqlx::query_scalar(include_str!("../../sql/lessons/open_questions.sql"));
        let count = count.bind(self.db.project).fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(count)
    }
}

async fn read_questions(
    db: &ProjectDb,
    id: Option<Uuid>,
    is_open: Option<bool>,
    before: Option<Uuid>,
    most: i64,
) -> Result<Vec<QuestionRow>, StoreError> {
    let mut transaction = db.read().await?;
    let rows = sqlx::query_as(include_str!("../../sql/lessons/questions.sql"))
        .bind(db.project)
        .bind(id)
        .bind(is_open)
        .bind(before.unwrap_or(Uuid::max()))
        .bind(most)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(rows)
}

/// Locks a question until the transaction ends, so that it is answered once.
pub(crate) async fn lock_question(transaction: &mut ProjectTx, id: Uuid) -> Result<(), StoreError> {
    let held = sqlx::query(include_str!("../../sql/lessons/lock_question.sql"));
    let held = held.bind(transaction.project).bind(id).fetch_optional(&mut **transaction).await?;
    held.map(drop).ok_or(StoreError::NotFound { what: "question" })
}

/// Stores the answer to an open question with its action, in the transaction of the action.
pub(crate) async fn record_answer(
    transaction: &mut ProjectTx,
    answered: AnsweredQuestion,
    action: ActionId,
    by: &str,
) -> Result<(), StoreError> {
    let recorded = sqlx::query(include_str!("../../sql/lessons/record_answer.sql"))
        .bind(transaction.project)
        .bind(answered.question_id)
        .bind(answered.answer.code())
        .bind(action)
        .bind(by)
        .execute(&mut **transaction)
        .await?;
    match recorded.rows_affected() {
        0 => Err(StoreError::Conflict { what: "the question was answered" }),
        _ => Ok(()),
    }
}
