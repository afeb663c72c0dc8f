//! Writing a memory by hand.

use serde_json::json;

use super::apply::Cared;
use super::change::{Noted, PRESENCE, Presence};
use crate::audit::Actor;
use crate::error::StoreError;
use crate::idempotency::Claim;
use crate::learning::NewMemory;
use crate::project_ctx::ProjectCtx;

impl ProjectCtx {
    /// Keeps a lesson that came of no run. Undoing it deletes it.
    pub async fn write_memory(
        &self,
        memory: &NewMemory,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<Cared, StoreError> {
        let mut transaction = self.write().await?;
        if let Some(earlier) = self.claim(&mut transaction, claim, None).await? {
            return Ok(earlier);
        }
        let memory_id = memory.memory_id;
        sqlx::query(include_str!("../../sql/care/insert_memory.sql"))
            .bind(self.project)
            .bind(memory_id)
            .bind(memory.author_key)
            .bind(memory.origin.code())
            .bind(&memory.task)
            .bind(&memory.reflection)
            .bind(&memory.summary)
            .bind(&memory.guidance)
            .bind(&memory.key_mistake)
            .bind(&memory.correct_action)
            .bind(&memory.applicable_tools)
            .bind(memory.success)
            .bind(&memory.metadata)
            .bind(&memory.note)
            .bind(memory.quarantined)
            .bind(memory.trust.code())
            .execute(&mut *transaction)
            .await?;
        for (space, vector) in &memory.vectors {
            // Where it belongs follows from its status, as for any other change.
            sqlx::query(include_str!("../../sql/memories/insert_parked_vector.sql"))
                .bind(self.project)
                .bind(space)
                .bind(memory_id)
                .bind(vector)
                .execute(&mut *transaction)
                .await?;
        }
        let summary = json!({ "memory_ids": [memory_id] });
        let action = self.begin_action(&mut transaction, actor, "memory.write", &summary).await?;
        let (before, after) = (json!(Presence::Deleted), json!(Presence::Kept));
        self.apply(&mut transaction, action, &[Noted { memory_id, facet: PRESENCE, before, after }]).await?;
        let cared = Cared { action_id: Some(action), changed: vec![memory_id] };
        self.remember(&mut transaction, claim, &cared).await?;
        self.commit(transaction).await?;
        Ok(cared)
    }
}
