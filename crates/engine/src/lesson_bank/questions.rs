//! Pairs of lessons that contradict each other and that evidence cannot decide: people answer.

use reflect_store::{
    AnsweredQuestion, AuditActor, CurationRequest, MemoryChange, MemoryState, Presence, ProjectCtx,
    QuestionRow, QuestionSide, StoreError,
};
use reflect_types::{MemoryId, QuestionAnswer};
use serde_json::json;
use uuid::Uuid;

use super::LessonBank;
use super::group::{LessonAction, check_trust};
use crate::caller::Visitor;
use crate::error::EngineError;

/// As the audit log names an answer.
const ANSWER: &str = "lesson.answer";

impl LessonBank {
    /// The newest questions before a cursor, open or answered, and the cursor to go on from.
    pub async fn questions(
        &self,
        visitor: &Visitor,
        is_open: bool,
        before: Option<Uuid>,
        limit: u32,
    ) -> Result<(Vec<QuestionRow>, Option<Uuid>), EngineError> {
        Ok(self.store.project(visitor.project).lessons().questions().list(is_open, before, limit).await?)
    }

    /// Answers a question: one side supersedes the other, both stay, or both become one lesson.
    pub async fn answer(
        &self,
        visitor: &Visitor,
        id: Uuid,
        answer: QuestionAnswer,
        actor: &AuditActor,
    ) -> Result<QuestionRow, EngineError> {
        let project = self.store.project(visitor.project);
        let question = project.lessons().questions().get(id).await?;
        if question.answer.is_some() {
            return Err(StoreError::Conflict { what: "the question was answered" }.into());
        }
        let (first, second) = (&question.first, &question.second);
        let sides = [first.memory_id, second.memory_id];
        let states = project.memories().states(&sides).await?;
        check_trust(visitor.trust, &states)?;
        let summary = json!({ "question_id": id, "answer": answer, "memory_ids": sides });
        let answers = Some(AnsweredQuestion { question_id: id, answer });
        let described = LessonAction { kind: ANSWER, summary, answers, ..LessonAction::default() };
        match answer {
            QuestionAnswer::First => supersede(&project, visitor, described, (first, second), actor).await?,
            QuestionAnswer::Second => supersede(&project, visitor, described, (second, first), actor).await?,
            QuestionAnswer::Same => {
                let (others, last) = ([second.lesson_id], moves_with(second.memory_id, &states));
                let described = LessonAction { last, ..described };
                self.group_as(visitor, described, first.lesson_id, &others, actor).await?;
            }
            QuestionAnswer::Both => apply(&project, visitor, described, &sides, None, actor).await?,
        }
        Ok(project.lessons().questions().get(id).await?)
    }
}

/// A situation, and the one that stands for it: they get another lesson together.
fn moves_with(memory: MemoryId, states: &[MemoryState]) -> Vec<MemoryId> {
    let state = states.iter().find(|state| state.memory_id == memory);
    let into = state.and_then(|state| state.presence.merged_into());
    std::iter::once(memory).chain(into).collect()
}

/// Supersedes the situation of the second side by the review of the first one. A lesson without a review disables it.
async fn supersede(
    project: &ProjectCtx,
    visitor: &Visitor,
    described: LessonAction,
    (kept, other): (&QuestionSide, &QuestionSide),
    actor: &AuditActor,
) -> Result<(), EngineError> {
    let review = project.memories().detail(kept.memory_id).await?.provenance.review_id;
    let presence = review.map_or(Presence::Disabled, Presence::Superseded);
    apply(project, visitor, described, &[other.memory_id], Some(presence), actor).await
}

/// Answers a question with an action that changes the presence of memories that are in use, if one is given. Undoing the action
/// opens the question again.
async fn apply(
    project: &ProjectCtx,
    visitor: &Visitor,
    LessonAction { kind, summary, answers, .. }: LessonAction,
    memories: &[MemoryId],
    presence: Option<Presence>,
    actor: &AuditActor,
) -> Result<(), EngineError> {
    let request =
        CurationRequest { kind, summary, memories, part_of: None, texts: &[], regroups: false, answers };
    let decide = |states: &[MemoryState]| {
        check_trust(visitor.trust, states)?;
        let served = states.iter().filter(|state| state.presence == Presence::Kept);
        let changed = served.filter_map(|state| Some((state.memory_id, MemoryChange::Presence(presence?))));
        Ok(changed.collect())
    };
    project.curation().apply(&request, actor, &decide).await?;
    Ok(())
}
