//! Erasing a memory: its texts are removed permanently, its counters stay.

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_types::{CrashPoint, MemoryId, Trust};
use serde_json::json;

use super::CurationStore;
use super::apply::Curated;
use crate::actions;
use crate::audit::AuditActor;
use crate::error::StoreError;
use crate::lessons;
use crate::memory_changes::{MemoryChange, Noted, Presence, apply_changes, lock_memories};

/// As the audit log names it. Such an action cannot be undone.
pub(super) const ERASE: &str = "memory.erase";

impl CurationStore<'_> {
    /// Removes all versions of the text of a memory, and its vectors. Does nothing if it is already erased.
    /// Refuses a caller of this trust that may not change the memory.
    pub async fn erase(
        &self,
        memory: MemoryId,
        actor: &AuditActor,
        trust: Trust,
    ) -> Result<Curated, StoreError> {
        let mut transaction = self.db.write().await?;
        lessons::lock_absorbed_runs(&mut transaction, None, &[memory]).await?;
        let states = lock_memories(&mut transaction, &[memory]).await?;
        let state = states.first().ok_or(StoreError::NotFound { what: "memory" })?;
        if state.presence == Presence::Erased {
            return Ok(Curated::default());
        }
        if !may_curate(trust, CurationEffect::Changes, state.trust, state.quarantined) {
            return Err(StoreError::Forbidden { what: UNTRUSTED_CURATION });
        }
        let summary = json!({ "memory_ids": [memory] });
        let action = actions::begin(&mut transaction, actor, ERASE, &summary).await?;
        let mut noted: Vec<Noted> = vec![MemoryChange::Presence(Presence::Erased).noted(state)];
        if state.pinned {
            noted.push(MemoryChange::Pinned(false).noted(state));
        }
        let dropped = sqlx::query(include_str!("../../sql/curation/drop_vectors.sql"));
        dropped.bind(self.db.project).bind(memory).bind(true).bind(true).execute(&mut *transaction).await?;
        let erased = sqlx::query(include_str!("../../sql/curation/erase.sql"));
        erased.bind(self.db.project).bind(memory).execute(&mut *transaction).await?;
        apply_changes(&mut transaction, action, &noted).await?;
        // The change counted already what the memory was merged into.
        lessons::release(&mut transaction, None, &[memory], &[]).await?;
        transaction.commit_at(CrashPoint::MemoryErase).await?;
        Ok(Curated { action_id: Some(action), changed: vec![memory] })
    }
}
