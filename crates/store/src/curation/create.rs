//! Creating a memory without a run.

use reflect_types::CrashPoint;
use serde_json::json;

use super::CurationStore;
use super::apply::Curated;
use crate::actions;
use crate::audit::AuditActor;
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::lessons::{self, NewMemoryRow};
use crate::memory_changes::{Noted, PRESENCE, Presence, apply_changes};

impl CurationStore<'_> {
    /// Stores a lesson without a run. Undo deletes it.
    pub async fn create(
        &self,
        memory: &NewMemoryRow,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Curated, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return Ok(earlier);
        }
        let memory_id = memory.memory_id;
        let mut plans = lessons::lock_plans(&mut transaction, &[memory], None, &[]).await?;
        plans.place(memory);
        let plans = plans.without_absorption();
        sqlx::query(include_str!("../../sql/curation/insert_memory.sql"))
            .bind(self.db.project)
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
            .bind(plans.lesson_of(memory_id))
            .bind(memory.lesson.advice.map(|advice| advice.as_uuid()))
            .execute(&mut *transaction)
            .await?;
        for (space, vector) in &memory.vectors {
            // The status decides where the vector belongs, as for any other change.
            sqlx::query(include_str!("../../sql/memories/insert_parked_vector.sql"))
                .bind(self.db.project)
                .bind(space)
                .bind(memory_id)
                .bind(vector)
                .execute(&mut *transaction)
                .await?;
        }
        let summary = json!({ "memory_ids": [memory_id] });
        let action = actions::begin(&mut transaction, actor, "memory.write", &summary).await?;
        let (before, after) = (json!(Presence::Deleted), json!(Presence::Kept));
        apply_changes(&mut transaction, action, &[Noted { memory_id, facet: PRESENCE, before, after }])
            .await?;
        lessons::record_joins(&mut transaction, None, memory, &plans).await?;
        let curated = Curated { action_id: Some(action), changed: vec![memory_id] };
        idempotency::save_answer(&mut transaction, claim, &curated).await?;
        transaction.commit_at(CrashPoint::CurationCreate).await?;
        Ok(curated)
    }
}
