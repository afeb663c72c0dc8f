//! Undo of an action: its changes are marked as undone, and the state is computed from the ledger again.

use std::collections::BTreeSet;

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_types::{CrashPoint, MemoryId, Trust};

use super::CurationStore;
use super::erase::ERASE;
use crate::actions;
use crate::audit;
use crate::audit::AuditActor;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::ledger;
use crate::lessons;
use crate::memory_changes::{ChangedRow, MemoryState, lock_memories, take_effect, with_absorbed};

/// How many memories are changed in one transaction. Their locks block reviews until its end.
const AT_ONCE: i64 = 1000;

impl CurationStore<'_> {
    /// Undoes a batch of the changes of an action. Returns whether there are more. The last batch marks the action as
    /// undone. Does nothing if it is already undone. Refuses a caller of this trust that may not change one of the
    /// memories. A situation stays in the lesson that it founded while others are in it.
    pub async fn undo_batch(
        &self,
        action: ActionId,
        actor: &AuditActor,
        trust: Trust,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.db.write().await?;
        let held = actions::lock(&mut transaction, action).await?;
        if held.is_undone {
            return Ok(false);
        }
        if held.kind == ERASE {
            return Err(StoreError::Conflict { what: "an erased memory cannot be restored" });
        }
        let named: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/curation/changed_by.sql"))
            .bind(self.db.project)
            .bind(action)
            .bind(AT_ONCE)
            .fetch_all(&mut *transaction)
            .await?;
        // What they absorbed has changed with them, and follows them back in the same batch.
        let memories = with_absorbed(&mut transaction, &named).await?;
        lessons::lock_runs(&mut transaction, &memories).await?;
        // What they were merged into may change too, and is locked in the same order.
        let reached = ledger::with_survivors(&mut transaction, &memories).await?;
        let states = lock_memories(&mut transaction, &reached).await?;
        let mut own = states.iter().filter(|state| memories.binary_search(&state.memory_id).is_ok());
        let may =
            |state: &MemoryState| may_curate(trust, CurationEffect::Changes, state.trust, state.quarantined);
        if !own.all(may) {
            return Err(StoreError::Forbidden { what: UNTRUSTED_CURATION });
        }
        // The grouping of existing memories is undone after all joins, so no others are left in its lessons.
        if held.kind != lessons::LESSON_MIGRATE {
            let kept = sqlx::query(include_str!("../../sql/curation/keep_founders.sql"));
            let kept = kept.bind(self.db.project).bind(action).bind(&memories);
            kept.execute(&mut *transaction).await?;
        }
        let undone: Vec<ChangedRow> = sqlx::query_as(include_str!("../../sql/curation/undo.sql"))
            .bind(self.db.project)
            .bind(action)
            .bind(&memories)
            .fetch_all(&mut *transaction)
            .await?;
        let changed: BTreeSet<MemoryId> = undone.iter().map(|row| row.memory_id).collect();
        take_effect(&mut transaction, &Vec::from_iter(changed), &undone).await?;
        let moved = undone.iter().filter(|row| row.moves_utility()).map(|row| row.memory_id);
        ledger::update_shares(&mut transaction, moved.collect()).await?;
        let more = named.len() as i64 == AT_ONCE;
        if !more {
            let undone = sqlx::query(include_str!("../../sql/actions/undone.sql"));
            undone.bind(self.db.project).bind(action).bind(&actor.name).execute(&mut *transaction).await?;
            audit::record(&mut transaction, actor, "action.undo", &action.to_string()).await?;
        }
        transaction.commit_at(CrashPoint::CurationUndo).await?;
        Ok(more)
    }
}
