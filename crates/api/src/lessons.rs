//! Lessons, each of which holds one or more memories, and the questions about lessons that contradict each other.
//!
//! The texts are the stored ones, without changes. Do not put them into a prompt.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{GroupingState, LessonId, MemoryId, MemorySort, MemoryStatus, QuestionAnswer, TraceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::curation::StoredMemory;

/// Which lessons to list, the order, and the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ListLessons {
    /// A filter such as `status:active credit:<0.5 refund`, at most 1000 characters. A lesson matches if one of its
    /// memories matches.
    pub q: Option<String>,
    /// The order.
    pub sort: Option<MemorySort>,
    /// The page size, 1 to 100. Default: 100.
    pub limit: Option<u32>,
    /// The `X-Next-Cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A lesson: one text for one or more memories. Its text is that of one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Lesson))]
pub struct StoredLesson {
    /// The lesson's id: mostly that of its first memory.
    pub id: LessonId,
    /// The memory whose text is the text of the lesson. To change that text, edit an active memory of the lesson.
    pub speaker_id: MemoryId,
    /// The task of that memory.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// The version of the text. 1 if it was never edited.
    pub version: i32,
    /// The best status of its memories: `active` if one of them may be served.
    pub status: MemoryStatus,
    /// How many of its memories are active. This and the other counts are at most 1000.
    pub situations: i32,
    /// How many of its memories newer evidence superseded.
    pub superseded: i32,
    /// How many of its memories are merged into others, because their tasks are nearly the same.
    pub absorbed: i32,
    /// How many runs taught it, those of merged memories included. The steps of one run count once.
    pub runs: i32,
    /// How many of these runs passed.
    pub passed_runs: i32,
    /// How many reviews its memory with the most reviews has; with equal reviews, the one with the most passes counts.
    /// One review can count for several memories.
    pub reviews: i32,
    /// How many of its reviews were passes.
    pub passes: i32,
    /// The credit of that memory: how much better traces with it went than expected. 0.5 means: as expected.
    pub credit: f32,
    /// The number of reviews behind that credit.
    pub evidence: i32,
    /// The 95 % confidence interval of that credit.
    pub credit_interval: [f32; 2],
    /// The lowest and the highest credit of its memories.
    pub credit_range: [f32; 2],
    /// Whether one of its memories is pinned.
    pub pinned: bool,
    /// What is suspicious in the text, such as `orders`.
    pub flags: Vec<String>,
    /// When its first memory was created.
    pub created_at: DateTime<Utc>,
    /// The day of the last review that moved one of its memories.
    pub last_used: Option<NaiveDate>,
}

/// A lesson and its memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonDetail {
    /// The lesson.
    #[serde(flatten)]
    pub lesson: StoredLesson,
    /// Its newest memories of any status, at most 100. `GET …/memories?lesson_id=` lists all of them.
    pub memories: Vec<StoredMemory>,
}

/// Groups lessons into one. Every memory keeps its task, its numbers and its own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroupLessons {
    /// The lesson that stays.
    pub into: LessonId,
    /// The lessons whose memories move into it, at most 100.
    pub lesson_ids: Vec<LessonId>,
}

/// Splits memories out of a lesson. They become a lesson of their own, with the words of the oldest of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SplitLesson {
    /// The memories, at most 1000.
    pub memory_ids: Vec<MemoryId>,
}

/// Moves a memory to another lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MoveSituation {
    /// The lesson.
    pub lesson_id: LessonId,
}

/// The result of a change of a lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonAnswer {
    /// The action that can be undone. Null if nothing changed.
    pub action_id: Option<Uuid>,
    /// The lesson after the change. After a split: the lesson of the named memories.
    pub lesson: StoredLesson,
}

/// Which questions to list, and the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ListQuestions {
    /// Only questions without an answer. False lists the answered ones. Default: true.
    pub open: Option<bool>,
    /// The page size, 1 to 100. Default: 100.
    pub limit: Option<u32>,
    /// The `X-Next-Cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Two lessons that contradict each other about nearly the same task, if evidence does not decide between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonQuestion {
    /// The question's id.
    pub id: Uuid,
    /// The similarity of the two tasks.
    pub similarity: f32,
    /// The older lesson.
    pub first: LessonQuestionSide,
    /// The newer lesson.
    pub second: LessonQuestionSide,
    /// When the contradiction was found.
    pub created_at: DateTime<Utc>,
    /// The answer. Null while it is open, and after its action was undone.
    pub answer: Option<QuestionAnswer>,
    /// The action of the answer, which can be undone. Null while the question is open.
    pub action_id: Option<Uuid>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// When it was answered.
    pub answered_at: Option<DateTime<Utc>>,
}

/// One side of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonQuestionSide {
    /// The lesson.
    pub lesson_id: LessonId,
    /// The memory in which the contradiction was found.
    pub memory_id: MemoryId,
    /// Its task.
    pub task: String,
    /// The text of its lesson.
    pub reflection: String,
    /// The trace that it was learned from.
    pub source_trace_id: Option<TraceId>,
    /// Its credit.
    pub credit: f32,
    /// The number of reviews behind the credit.
    pub evidence: i32,
}

/// Answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnswerQuestion {
    /// `first` or `second`: that lesson is right, and the memory of the other one is superseded. `both`: they do not
    /// contradict each other. `same`: they are one lesson and are grouped.
    pub answer: QuestionAnswer,
}

/// The grouping of the memories that existed before lessons were grouped. It runs in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonGroupingStatus {
    /// The state.
    pub state: GroupingState,
    /// How many memories were looked at since it began.
    pub done: i64,
    /// How many memories were not grouped when it began. 0 before that.
    pub total: i64,
    /// The action of the grouping, which `revert` undoes. Null before the first memory is grouped.
    pub action_id: Option<Uuid>,
    /// How many lessons have an active memory. Only the newest 100,000 memories are counted, here and below.
    pub lessons: i64,
    /// How many memories are active.
    pub situations: i64,
}
