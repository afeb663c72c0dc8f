//! Stored lessons, questions about them, and their grouping.

use chrono::{DateTime, Utc};
use reflect_api::{
    LessonDetail, LessonGroupingStatus, LessonQuestion, LessonQuestionSide, ListLessons, MemorySelection,
    StoredLesson,
};
use reflect_engine::{GroupingStatus, LessonPage, MemoryPage, Valued};
use reflect_store::{FullMemoryRow, LessonRow, MemorySelector, QuestionRow, QuestionSide};
use reflect_types::LessonId;

use super::curation::{selection, stored_memory};
use crate::error::ApiError;
use crate::filter::with_memory_filter;

/// How many memories the details of a lesson have.
const MOST_MEMORIES: u32 = 100;

/// An invalid id is treated as an unknown one.
pub(crate) fn lesson_id(text: &str) -> Result<LessonId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("lesson"))
}

/// The page of a list request.
pub(crate) fn lesson_page(
    query: &ListLessons,
    after: Option<LessonId>,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<LessonPage, ApiError> {
    let filter = with_memory_filter(MemorySelection::default(), query.q.as_deref(), now)?;
    Ok(LessonPage { selection: selection(filter)?, sort: query.sort.unwrap_or_default(), after, limit })
}

/// The newest memories of a lesson.
pub(crate) fn memories_of_lesson(lesson: LessonId) -> MemoryPage {
    let selection = MemorySelector { lesson: Some(lesson), ..MemorySelector::default() };
    MemoryPage { selection, include_same_lesson: true, limit: MOST_MEMORIES, ..MemoryPage::default() }
}

pub(crate) fn lesson(row: LessonRow) -> StoredLesson {
    let (low, high) = row.credit.interval();
    StoredLesson {
        id: row.lesson_id,
        speaker_id: row.speaker,
        task: row.text.task,
        reflection: row.text.reflection,
        summary: row.text.summary,
        guidance: row.text.guidance,
        key_mistake: row.text.key_mistake,
        correct_action: row.text.correct_action,
        applicable_tools: row.text.applicable_tools,
        version: row.version,
        status: row.status,
        situations: row.situations,
        superseded: row.superseded,
        absorbed: row.absorbed,
        runs: row.runs,
        passed_runs: row.passed_runs,
        reviews: row.reviews,
        passes: row.passes,
        credit: row.credit.value(),
        evidence: row.credit.evidence(),
        credit_interval: [low, high],
        credit_range: [row.credit_low, row.credit_high],
        pinned: row.pinned,
        flags: row.flags,
        created_at: row.created_at,
        last_used: row.last_used,
    }
}

pub(crate) fn lesson_detail(row: LessonRow, memories: Vec<Valued<FullMemoryRow>>) -> LessonDetail {
    LessonDetail { lesson: lesson(row), memories: memories.into_iter().map(stored_memory).collect() }
}

pub(crate) fn lesson_question(row: QuestionRow) -> LessonQuestion {
    LessonQuestion {
        id: row.question_id,
        similarity: row.similarity,
        first: question_side(row.first),
        second: question_side(row.second),
        created_at: row.created_at,
        answer: row.answer,
        action_id: row.action_id,
        answered_by: row.answered_by,
        answered_at: row.answered_at,
    }
}

fn question_side(side: QuestionSide) -> LessonQuestionSide {
    LessonQuestionSide {
        lesson_id: side.lesson_id,
        memory_id: side.memory_id,
        task: side.task,
        reflection: side.reflection,
        source_trace_id: side.source_trace,
        credit: side.credit.value(),
        evidence: side.credit.evidence(),
    }
}

pub(crate) const fn lesson_grouping(status: GroupingStatus) -> LessonGroupingStatus {
    let GroupingStatus { state, done, total, action_id, lessons, situations } = status;
    LessonGroupingStatus { state, done, total, action_id, lessons, situations }
}
