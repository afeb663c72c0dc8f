//! Undoing what somebody did: changes of memories, and reviews that were given together.

use reflect_store::{ActionId, ActionRow, Actor};
use reflect_types::Scope;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};

impl Engine {
    /// Undoes an action and says how it stands. One that is undone already is left as it is.
    pub async fn undo_action(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &Actor,
    ) -> Result<ActionRow, EngineError> {
        let project = self.store.project(visitor.project);
        let row = project.action(action).await?;
        if row.undone_at.is_some() {
            return Ok(row);
        }
        if row.reviews > 0 && !visitor.scopes.contains(&Scope::ReviewWrite) {
            let message = format!("undoing reviews needs the scope {}", Scope::ReviewWrite.as_str());
            return Err(EngineError::Forbidden(message));
        }
        // First, because it takes several transactions: broken off here, the action still counts as done, and
        // undoing it again goes on.
        self.revert_reviews(visitor, action, actor).await?;
        while project.undo_some(action, actor).await? {}
        self.forget_pins(visitor).await;
        Ok(project.action(action).await?)
    }
}
