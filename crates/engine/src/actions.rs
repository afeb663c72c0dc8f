//! Actions that callers undo.

use reflect_store::{ActionId, ActionRow, AuditActor};

use crate::action_undo::ActionUndo;
use crate::caller::Visitor;
use crate::error::EngineError;

/// Undoes actions.
#[derive(Debug, Clone)]
pub struct Actions {
    undo: ActionUndo,
}

impl Actions {
    pub(crate) const fn new(undo: ActionUndo) -> Self {
        Self { undo }
    }

    /// Undoes an action and returns it. An action that is already undone stays as it is.
    pub async fn undo(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &AuditActor,
    ) -> Result<ActionRow, EngineError> {
        self.undo.undo(visitor, action, actor).await
    }

    /// Withdraws every live review of an action and returns how many there were. May be interrupted and run again.
    pub async fn revert_reviews(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &AuditActor,
    ) -> Result<u64, EngineError> {
        self.undo.revert_reviews(visitor, action, actor).await
    }
}
