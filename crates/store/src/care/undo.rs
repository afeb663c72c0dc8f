//! Undoing an action: what it changed holds no more, and what holds is read off the ledger again.

use std::collections::BTreeSet;

use reflect_types::MemoryId;
use sqlx::{Postgres, Transaction};

use super::erase::ERASE;
use crate::actions::ActionId;
use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// How many memories are changed in one transaction. They are held until its end, and reviews wait for them.
const AT_ONCE: i64 = 1000;

/// An action that is held.
pub(super) struct HeldAction {
    kind: String,
    pub(super) is_undone: bool,
}

impl ProjectCtx {
    pub(super) async fn hold_action(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        action: ActionId,
    ) -> Result<HeldAction, StoreError> {
        let held = sqlx::query_as(include_str!("../../sql/care/hold_action.sql"));
        let held: Option<(String, bool)> =
            held.bind(self.project).bind(action).fetch_optional(&mut **transaction).await?;
        let (kind, is_undone) = held.ok_or(StoreError::NotFound { what: "action" })?;
        Ok(HeldAction { kind, is_undone })
    }

    /// Undoes some of what an action changed about memories, and says whether there is more. With the last of
    /// it the action is undone. One that is undone already is left as it is.
    pub async fn undo_some(&self, action: ActionId, actor: &Actor) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let held = self.hold_action(&mut transaction, action).await?;
        if held.is_undone {
            return Ok(false);
        }
        if held.kind == ERASE {
            return Err(StoreError::Conflict { what: "an erased memory cannot be brought back" });
        }
        let memories: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/care/changed_by.sql"))
            .bind(self.project)
            .bind(action)
            .bind(AT_ONCE)
            .fetch_all(&mut *transaction)
            .await?;
        self.hold_memories(&mut transaction, &memories).await?;
        let facets: Vec<i16> = sqlx::query_scalar(include_str!("../../sql/care/undo.sql"))
            .bind(self.project)
            .bind(action)
            .bind(&memories)
            .fetch_all(&mut *transaction)
            .await?;
        self.take_effect(&mut transaction, &memories, &BTreeSet::from_iter(facets)).await?;
        let more = memories.len() as i64 == AT_ONCE;
        if !more {
            let undone = sqlx::query(include_str!("../../sql/actions/undone.sql"));
            undone.bind(self.project).bind(action).bind(&actor.name).execute(&mut *transaction).await?;
            self.note(&mut transaction, actor, "action.undo", &action.to_string()).await?;
        }
        self.commit(transaction).await?;
        Ok(more)
    }
}
