//! Taking back all reviews of one action.

use reflect_store::{ActionId, Actor, ReviewChange, StoreError};
use reflect_types::ReviewId;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};

/// How many are looked up at one time.
const CHUNK: i64 = 100;

impl Engine {
    /// Takes back every live review that an action gave, and says how many those were. Each goes in a transaction
    /// of its own, as if it had been withdrawn by hand: what it moved moves back, the memory it made is retired,
    /// learning that has not begun never does. May be stopped anywhere and run again.
    pub async fn revert_reviews(
        &self,
        visitor: &Visitor,
        action: ActionId,
        actor: &Actor,
    ) -> Result<u64, EngineError> {
        let project = self.store.project(visitor.project);
        let mut reverted = 0;
        let mut passed_over: Vec<ReviewId> = Vec::new();
        loop {
            let live = project.live_reviews_of(action, CHUNK, &passed_over).await?;
            if live.is_empty() {
                return Ok(reverted);
            }
            for (trace, review) in live {
                let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
                match project.change_review(&change, actor, None).await {
                    Ok(true) => reverted += 1,
                    // Somebody else changed it since, or removed its run.
                    Ok(false) | Err(StoreError::NotFound { .. }) => passed_over.push(review),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}
