//! Grouping, splitting and moving: which lesson situations have. Each is an action that can be undone.

use std::collections::HashSet;

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_store::{
    AnsweredQuestion, AuditActor, Curated, CurationRequest, MemoryChange, MemoryOrder, MemorySelector,
    MemoryState, Presence, ProjectCtx, StoreError,
};
use reflect_types::{LessonId, MemoryId, MemorySort, Ranking, Trust};
use serde_json::{Value, json};

use super::LessonBank;
use crate::caller::Visitor;
use crate::curation_parts::apply_in_parts;
use crate::error::EngineError;

const MOST_LESSONS: usize = 100;
const MOST_SPLIT: usize = 1000;
/// How many situations of a lesson change at most.
const MOST_SITUATIONS: i64 = 100_000;

/// A change of lessons, as the action stores it.
#[derive(Default)]
pub(super) struct LessonAction {
    pub(super) kind: &'static str,
    pub(super) summary: Value,
    /// The question that it answers.
    pub(super) answers: Option<AnsweredQuestion>,
    /// Situations that change last: an answer that was interrupted finds the others in their lesson when it is repeated.
    pub(super) last: Vec<MemoryId>,
    /// The situation that is moved by itself.
    pub(super) alone: Option<MemoryId>,
}

impl LessonBank {
    /// Gives all situations of some lessons the lesson `into`.
    pub async fn group(
        &self,
        visitor: &Visitor,
        into: LessonId,
        lessons: &[LessonId],
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let mut lessons = lessons.to_vec();
        lessons.sort();
        lessons.dedup();
        lessons.retain(|lesson| *lesson != into);
        if lessons.is_empty() {
            return Err(EngineError::invalid("lesson_ids", "must name lessons other than `into`"));
        }
        if lessons.len() > MOST_LESSONS {
            let problem = format!("must not name more than {MOST_LESSONS} lessons");
            return Err(EngineError::invalid("lesson_ids", problem));
        }
        let summary = json!({ "lesson_id": into, "lesson_ids": lessons });
        let described = LessonAction { kind: "lesson.group", summary, ..LessonAction::default() };
        self.group_as(visitor, described, into, &lessons, actor).await
    }

    /// The same for lessons that are checked, as any kind of action.
    pub(super) async fn group_as(
        &self,
        visitor: &Visitor,
        described: LessonAction,
        into: LessonId,
        lessons: &[LessonId],
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let project = self.store.project(visitor.project);
        let target = LessonSituations::read(&project, into).await?;
        check_all(&project, visitor.trust, &target.memories).await?;
        let mut memories = target.founders();
        for lesson in lessons {
            memories.extend(LessonSituations::read(&project, *lesson).await?.memories);
        }
        // Two ids can name the same memories that are not grouped.
        memories.sort();
        memories.dedup();
        let memories = with_last(memories, &described.last);
        assign(&project, visitor, described, &memories, into, actor).await
    }

    /// Gives situations of a lesson a lesson of their own, and returns it. The others keep theirs. What is merged into a
    /// situation follows it, and is refused alone.
    pub async fn split(
        &self,
        visitor: &Visitor,
        lesson: LessonId,
        memories: &[MemoryId],
        actor: &AuditActor,
    ) -> Result<(LessonId, Curated), EngineError> {
        if memories.is_empty() || memories.len() > MOST_SPLIT {
            let problem = format!("must name 1 to {MOST_SPLIT} memories");
            return Err(EngineError::invalid("memory_ids", problem));
        }
        let project = self.store.project(visitor.project);
        let all = LessonSituations::read(&project, lesson).await?.memories;
        check_all(&project, visitor.trust, &all).await?;
        check_whole(&project.memories().states(memories).await?)?;
        let named = split(memories, &all).map_err(|what| StoreError::Conflict { what })?;
        Ok(project.curation().split(lesson, &named, actor, visitor.trust).await?)
    }

    /// Gives a situation another lesson. What is merged into it follows, and is refused alone.
    pub async fn move_situation(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        to: LessonId,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let project = self.store.project(visitor.project);
        let target = LessonSituations::read(&project, to).await?;
        check_all(&project, visitor.trust, &target.memories).await?;
        let mut memories = target.founders();
        if !memories.contains(&memory) {
            memories.push(memory);
        }
        let summary = json!({ "memory_ids": [memory], "lesson_id": to });
        let alone = Some(memory);
        let described = LessonAction { kind: "lesson.move", summary, alone, ..LessonAction::default() };
        assign(&project, visitor, described, &memories, to, actor).await
    }
}

/// The situations of a lesson, by id, without those that others of them stand for.
struct LessonSituations {
    lesson: LessonId,
    memories: Vec<MemoryId>,
    is_grouped: bool,
}

impl LessonSituations {
    /// A lesson that is not grouped has the memories with its text.
    async fn read(project: &ProjectCtx, lesson: LessonId) -> Result<Self, EngineError> {
        let mut memories = project.lessons().standing(lesson, MOST_SITUATIONS).await?;
        let is_grouped = !memories.is_empty();
        if !is_grouped {
            let selection = MemorySelector { lesson: Some(lesson), ..MemorySelector::default() };
            let order = MemoryOrder { sort: MemorySort::Newest, ranking: Ranking::Learned };
            memories = project.memories().matching(&selection, order, None, MOST_SITUATIONS).await?;
        }
        if memories.is_empty() {
            return Err(StoreError::NotFound { what: "lesson" }.into());
        }
        memories.sort();
        Ok(Self { lesson, memories, is_grouped })
    }

    /// Those that get the lesson as its first situations: all memories of a lesson that is not grouped, else the one that
    /// founded it. So the lesson stays if the grouping of existing memories is reverted later.
    fn founders(self) -> Vec<MemoryId> {
        let Self { mut memories, lesson, is_grouped } = self;
        memories.retain(|memory| !is_grouped || LessonId::from(*memory) == lesson);
        memories
    }
}

/// Gives memories a lesson, under one action. Those that have it already do not change, except for its founder.
async fn assign(
    project: &ProjectCtx,
    visitor: &Visitor,
    LessonAction { kind, summary, answers, alone, .. }: LessonAction,
    memories: &[MemoryId],
    lesson: LessonId,
    actor: &AuditActor,
) -> Result<Curated, EngineError> {
    let named: HashSet<MemoryId> = memories.iter().copied().collect();
    let request =
        CurationRequest { kind, summary, memories, part_of: None, texts: &[], regroups: true, answers };
    // The states contain also what follows the memories.
    let decide = |states: &[MemoryState]| {
        check_trust(visitor.trust, states)?;
        let moved = states.iter().filter(|state| Some(state.memory_id) == alone);
        check_whole(moved)?;
        Ok(changes(lesson, states.iter().filter(|state| named.contains(&state.memory_id))))
    };
    Ok(apply_in_parts(project, &request, actor, &decide).await?)
}

fn changes<'a>(
    lesson: LessonId,
    states: impl Iterator<Item = &'a MemoryState>,
) -> Vec<(MemoryId, MemoryChange)> {
    let is_new =
        |state: &&MemoryState| state.lesson_id != Some(lesson) || LessonId::from(state.memory_id) == lesson;
    let changed = states.filter(|state| state.presence != Presence::Erased).filter(is_new);
    changed.map(|state| (state.memory_id, MemoryChange::Lesson(Some(lesson)))).collect()
}

/// Refuses memories that are merged into others: their lesson is that of the others.
fn check_whole<'a>(states: impl IntoIterator<Item = &'a MemoryState>) -> Result<(), StoreError> {
    match states.into_iter().find_map(|state| state.presence.merged_into()) {
        Some(into) => Err(StoreError::PartOfMemory { into }),
        None => Ok(()),
    }
}

/// The memories, with some of them at their end.
fn with_last(memories: Vec<MemoryId>, last: &[MemoryId]) -> Vec<MemoryId> {
    let (end, mut memories): (Vec<MemoryId>, Vec<MemoryId>) =
        memories.into_iter().partition(|memory| last.contains(memory));
    memories.extend(end);
    memories
}

/// Refuses an untrusted caller that may not change one of the memories: it must not join a lesson that it may not change.
async fn check_all(project: &ProjectCtx, trust: Trust, memories: &[MemoryId]) -> Result<(), EngineError> {
    if trust == Trust::Untrusted {
        check_trust(trust, &project.memories().states(memories).await?)?;
    }
    Ok(())
}

/// Refuses a caller of this trust that may not change one of the memories.
pub(super) fn check_trust(trust: Trust, states: &[MemoryState]) -> Result<(), StoreError> {
    let may =
        |state: &MemoryState| may_curate(trust, CurationEffect::Changes, state.trust, state.quarantined);
    if states.iter().all(may) { Ok(()) } else { Err(StoreError::Forbidden { what: UNTRUSTED_CURATION }) }
}

/// The memories that are split off, each once. `all` is sorted.
fn split(named: &[MemoryId], all: &[MemoryId]) -> Result<Vec<MemoryId>, &'static str> {
    let mut named = named.to_vec();
    named.sort();
    named.dedup();
    if !named.iter().all(|memory| all.binary_search(memory).is_ok()) {
        return Err("a memory is not part of this lesson");
    }
    if named.len() == all.len() {
        return Err("at least one memory must stay in the lesson");
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn ids(numbers: &[u128]) -> Vec<MemoryId> {
        numbers.iter().map(|number| MemoryId::from_uuid(Uuid::from_u128(*number))).collect()
    }

    #[test]
    fn some_situations_of_a_lesson_can_be_split_off() {
        let all = ids(&[1, 2, 3]);
        assert_eq!(split(&ids(&[3, 2, 3]), &all), Ok(ids(&[2, 3])));
        assert_eq!(split(&ids(&[1]), &all), Ok(ids(&[1])), "also the founder");
    }

    #[test]
    fn all_situations_or_a_foreign_one_are_refused() {
        let all = ids(&[1, 2]);
        assert_eq!(split(&ids(&[1, 2]), &all), Err("at least one memory must stay in the lesson"));
        assert_eq!(split(&ids(&[7]), &all), Err("a memory is not part of this lesson"));
    }

    #[test]
    fn some_situations_change_last() {
        assert_eq!(with_last(ids(&[1, 2, 3, 4]), &ids(&[3, 1, 7])), ids(&[2, 4, 1, 3]));
        assert_eq!(with_last(ids(&[1, 2]), &[]), ids(&[1, 2]));
    }
}
