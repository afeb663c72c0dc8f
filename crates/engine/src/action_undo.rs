//! Undo of actions: changes of memories, and reviews that were given together. What two services share.

use reflect_rules::curation::{UNTRUSTED_UNDO, may_undo};
use reflect_store::{ActionId, ActionRow, AuditActor, LESSON_MIGRATE, ReviewChange, Store, StoreError};
use reflect_types::{ReviewId, Scope};

use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache::ProjectCache;

/// How many reviews are read at once.
const CHUNK: i64 = 100;

/// Undoes actions, in several transactions if they are large.
#[derive(Debug, Clone)]
pub(crate) struct ActionUndo {
    store: Store,
    projects: ProjectCache,
}

impl ActionUndo {
    pub(crate) const fn new(store: Store, projects: ProjectCache) -> Self {
        Self { store, projects }
    }

    /// Undoes an action for a caller and returns it. An action that is already undone stays as it is. The grouping of existing
    /// memories is undone by its own call, which also switches grouping off.
    pub(crate) async fn undo(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &AuditActor,
    ) -> Result<ActionRow, EngineError> {
        let row = self.store.project(visitor.project).curation().action(action).await?;
        if row.kind == LESSON_MIGRATE && row.undone_at.is_none() {
            let what = "the grouping of existing memories is undone with POST …/lesson-grouping/revert";
            return Err(StoreError::Conflict { what }.into());
        }
        self.undo_row(visitor, row, actor).await
    }

    /// Undoes an action of any kind and returns it.
    pub(crate) async fn undo_any(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &AuditActor,
    ) -> Result<ActionRow, EngineError> {
        let row = self.store.project(visitor.project).curation().action(action).await?;
        self.undo_row(visitor, row, actor).await
    }

    async fn undo_row(
        &self,
        visitor: &Visitor,
        row: ActionRow,
        actor: &AuditActor,
    ) -> Result<ActionRow, EngineError> {
        let (project, action) = (self.store.project(visitor.project), row.action_id);
        if row.undone_at.is_some() {
            return Ok(row);
        }
        if !may_undo(visitor.trust, row.actor == visitor.name) {
            return Err(EngineError::Forbidden(UNTRUSTED_UNDO.to_owned()));
        }
        if row.reviews > 0 && !visitor.scopes.contains(&Scope::ReviewWrite) {
            let message = format!("undoing reviews needs the scope {}", Scope::ReviewWrite.as_str());
            return Err(EngineError::Forbidden(message));
        }
        // Reviews come first, because they take several transactions. If this stops halfway, the action still counts as
        // done, and the next undo continues.
        self.revert_reviews(visitor, action, actor).await?;
        while project.curation().undo_batch(action, actor, visitor.trust).await? {}
        self.projects.invalidate(visitor.project).await;
        Ok(project.curation().action(action).await?)
    }

    /// Withdraws every live review of an action and returns how many there were. Each review is withdrawn in a
    /// transaction of its own: utilities move back, the memory is retired, and learning that has not started is
    /// cancelled. May be interrupted and run again.
    pub(crate) async fn revert_reviews(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &AuditActor,
    ) -> Result<u64, EngineError> {
        let project = self.store.project(visitor.project);
        let mut reverted = 0;
        let mut passed_over: Vec<ReviewId> = Vec::new();
        loop {
            let live = project.reviews().by_action(action, CHUNK, &passed_over).await?;
            if live.is_empty() {
                return Ok(reverted);
            }
            for (trace, review) in live {
                let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
                match project.reviews().change(&change, actor, None).await {
                    Ok(true) => reverted += 1,
                    // Another caller changed the review, or its trace was removed.
                    Ok(false) | Err(StoreError::NotFound { .. }) => passed_over.push(review),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}
