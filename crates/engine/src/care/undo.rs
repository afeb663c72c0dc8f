//! Undoing what somebody did: changes of memories, and reviews that were given together.

use reflect_store::{ActionId, ActionRow, Actor, ReviewChange, StoreError};
use reflect_types::{ReviewId, Scope};

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
        self.withdraw_reviews_of(visitor, action, actor).await?;
        while project.undo_some(action, actor).await? {}
        self.forget_pins(visitor).await;
        Ok(project.action(action).await?)
    }

    async fn withdraw_reviews_of(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &Actor,
    ) -> Result<(), EngineError> {
        let project = self.store.project(visitor.project);
        let mut after: Option<ReviewId> = None;
        loop {
            let reviews = project.reviews_of_action(action, after).await?;
            let Some((last, _)) = reviews.last() else { return Ok(()) };
            after = Some(*last);
            for (review, trace) in reviews {
                let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
                match project.change_review(&change, actor).await {
                    // A review that was replaced or whose run is gone meanwhile is not this action's any more.
                    Ok(_) | Err(StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}
