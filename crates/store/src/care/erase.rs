//! Erasing a memory: what it said is gone for good, its numbers stay.

use reflect_types::MemoryId;
use serde_json::json;

use super::apply::Cared;
use super::change::{Change, Noted, Presence};
use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// The word of the audit log. Such an action cannot be undone.
pub(super) const ERASE: &str = "memory.erase";

impl ProjectCtx {
    /// Removes the texts of a memory, all versions of them, and where they stood. One that is erased already
    /// is left as it is.
    pub async fn erase_memory(&self, memory: MemoryId, actor: &Actor) -> Result<Cared, StoreError> {
        let mut transaction = self.write().await?;
        let states = self.hold_memories(&mut transaction, &[memory]).await?;
        let state = states.first().ok_or(StoreError::NotFound { what: "memory" })?;
        if state.presence == Presence::Erased {
            return Ok(Cared::default());
        }
        let summary = json!({ "memory_ids": [memory] });
        let action = self.begin_action(&mut transaction, actor, ERASE, &summary).await?;
        let mut noted: Vec<Noted> = vec![Change::Presence(Presence::Erased).noted(state)];
        if state.pinned {
            noted.push(Change::Pinned(false).noted(state));
        }
        let dropped = sqlx::query(include_str!("../../sql/care/drop_vectors.sql"));
        dropped.bind(self.project).bind(memory).bind(true).bind(true).execute(&mut *transaction).await?;
        let erased = sqlx::query(include_str!("../../sql/care/erase.sql"));
        erased.bind(self.project).bind(memory).execute(&mut *transaction).await?;
        self.apply(&mut transaction, action, &noted).await?;
        self.commit(transaction).await?;
        Ok(Cared { action_id: Some(action), changed: vec![memory] })
    }
}
