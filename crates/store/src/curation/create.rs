//! Creating a memory without a run.

use reflect_types::{CrashPoint, MemoryId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::CurationStore;
use super::apply::Curated;
use crate::actions;
use crate::audit::AuditActor;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::lessons::{self, NewMemoryRow};
use crate::memory_changes::{Noted, PRESENCE, Presence, apply_changes};

/// An item that becomes a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedItem {
    /// Made by the importer: a digest of the item.
    pub key: Uuid,
    /// Where it was: importer, file, line, id.
    pub source: Value,
}

impl CurationStore<'_> {
    /// Whether an item is a memory already.
    pub async fn is_imported(&self, key: Uuid) -> Result<bool, StoreError> {
        let mut transaction = self.db.read().await?;
        let earlier: Option<MemoryId> =
            sqlx::query_scalar(include_str!("../../sql/curation/find_import.sql"))
                .bind(transaction.project)
                .bind(key)
                .fetch_optional(&mut *transaction)
                .await?;
        transaction.commit().await?;
        Ok(earlier.is_some())
    }

    /// Stores a lesson without a run. Undo deletes it. An imported item is stored once: if it is a memory already, nothing
    /// changes, and the result has that memory and no action.
    pub async fn create(
        &self,
        memory: &NewMemoryRow,
        imported: Option<&ImportedItem>,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Curated, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(earlier).await;
        }
        let memory_id = memory.memory_id;
        if let Some(item) = imported
            && let Some(earlier) = take_import(&mut transaction, item, memory_id).await?
        {
            let curated = Curated { action_id: None, changed: vec![earlier] };
            idempotency::save_answer(&mut transaction, claim, &curated).await?;
            transaction.commit().await?;
            return Ok(curated);
        }
        let mut plans = lessons::lock_plans(&mut transaction, &[memory], None, &[]).await?;
        plans.place(memory);
        let plans = plans.without_absorption();
        let types: i32 = sqlx::query_scalar(include_str!("../../sql/curation/insert_memory.sql"))
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
            .bind(&memory.flags)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.outgoing.add(types, lessons::creation_events(memory, None, plans.lesson_of(memory_id)));
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

/// Takes the key of an item. Returns the memory that the item became earlier.
async fn take_import(
    transaction: &mut ProjectTx,
    item: &ImportedItem,
    memory: MemoryId,
) -> Result<Option<MemoryId>, StoreError> {
    let taken: Option<MemoryId> = sqlx::query_scalar(include_str!("../../sql/curation/take_import.sql"))
        .bind(transaction.project)
        .bind(item.key)
        .bind(memory)
        .bind(&item.source)
        .fetch_optional(&mut **transaction)
        .await?;
    if taken.is_some() {
        return Ok(None);
    }
    // Another statement, because this one sees what another transaction has committed meanwhile.
    let earlier = sqlx::query_scalar(include_str!("../../sql/curation/find_import.sql"));
    let earlier = earlier.bind(transaction.project).bind(item.key).fetch_one(&mut **transaction).await?;
    Ok(Some(earlier))
}
