//! The background grouping of memories that existed before lessons were grouped: its progress, its start and its undo.

use reflect_rules::curation::{UNTRUSTED_UNDO, may_undo};
use reflect_store::{ActionId, AuditActor, LESSON_JOIN, ProjectCtx};
use reflect_types::{GroupingState, LessonGrouping, LessonSettings};
use serde_json::json;

use super::LessonBank;
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache;

/// How many actions are read at once.
const PAGE: i64 = 100;

/// How far the grouping of existing memories is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupingStatus {
    /// Its state.
    pub state: GroupingState,
    /// How many memories were looked at.
    pub done: i64,
    /// How many were not grouped when it began. 0 before that.
    pub total: i64,
    /// The action, which `revert_grouping` undoes.
    pub action_id: Option<ActionId>,
    /// How many lessons the project has.
    pub lessons: i64,
    /// How many situations they hold.
    pub situations: i64,
}

impl LessonBank {
    /// How far the grouping of existing memories is.
    pub async fn grouping(&self, visitor: &Visitor) -> Result<GroupingStatus, EngineError> {
        let project = self.store.project(visitor.project);
        let statistics = project.lessons().statistics().await?;
        let counts = project.lessons().count().await?;
        // Memories that join a lesson meanwhile are not looked at.
        let total = statistics.to_group.max(statistics.grouped);
        Ok(GroupingStatus {
            state: statistics.grouping,
            done: if statistics.grouping == GroupingState::Done { total } else { statistics.grouped },
            total,
            action_id: statistics.grouping_action,
            lessons: counts.lessons,
            situations: counts.situations,
        })
    }

    /// Starts the grouping of existing memories, also after a revert. Maintenance does the work.
    pub async fn start_grouping(
        &self,
        visitor: &Visitor,
        actor: &AuditActor,
    ) -> Result<GroupingStatus, EngineError> {
        let project = self.store.project(visitor.project);
        let settings = self.lesson_settings(visitor).await?;
        if settings.grouping == LessonGrouping::Off {
            self.choose(visitor, &project, LessonGrouping::Automatic, actor).await?;
        }
        let state = project.lessons().statistics().await?.grouping;
        if matches!(state, GroupingState::Done | GroupingState::Reverted) {
            project.lessons().grouping().set_state(GroupingState::Waiting).await?;
        }
        self.grouping(visitor).await
    }

    /// Undoes what the server grouped by itself, and switches grouping off. What people grouped stays. A call that is
    /// interrupted is repeated: it continues with what is left.
    pub async fn revert_grouping(
        &self,
        visitor: &Visitor,
        actor: &AuditActor,
    ) -> Result<GroupingStatus, EngineError> {
        if !may_undo(visitor.trust, false) {
            return Err(EngineError::Forbidden(UNTRUSTED_UNDO.to_owned()));
        }
        let project = self.store.project(visitor.project);
        project.lessons().grouping().set_state(GroupingState::Reverted).await?;
        self.choose(visitor, &project, LessonGrouping::Off, actor).await?;
        undo_joins(&project, visitor, actor).await?;
        if let Some(action) = project.lessons().statistics().await?.grouping_action {
            self.undo.undo_any(visitor, action, actor).await?;
        }
        self.grouping(visitor).await
    }

    async fn lesson_settings(&self, visitor: &Visitor) -> Result<LessonSettings, EngineError> {
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        Ok(project_cache::settings(&facts.settings).lessons)
    }

    async fn choose(
        &self,
        visitor: &Visitor,
        project: &ProjectCtx,
        grouping: LessonGrouping,
        actor: &AuditActor,
    ) -> Result<(), EngineError> {
        let settings = LessonSettings { grouping, ..self.lesson_settings(visitor).await? };
        project.admin().update_settings(&json!({ "lessons": settings }), actor).await?;
        self.projects.invalidate_settings(visitor.project).await;
        Ok(())
    }
}

/// Undoes all automatic joins, newest first. They change no reviews and no pins, so only their memories are restored.
async fn undo_joins(project: &ProjectCtx, visitor: &Visitor, actor: &AuditActor) -> Result<(), EngineError> {
    let mut before = None;
    loop {
        let joins = project.curation().automatic(LESSON_JOIN, before, PAGE).await?;
        for join in &joins {
            while project.curation().undo_batch(*join, actor, visitor.trust).await? {}
        }
        before = joins.last().copied();
        if before.is_none() {
            return Ok(());
        }
    }
}
