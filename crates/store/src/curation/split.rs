//! Splitting memories out of a lesson: they get a lesson of their own.

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_types::{LessonId, MemoryId, Trust};
use serde_json::json;

use super::CurationStore;
use super::apply::Curated;
use crate::actions;
use crate::audit::AuditActor;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::memory_changes::{MemoryChange, MemoryState, Noted, apply_changes, lock_memories};

impl CurationStore<'_> {
    /// Gives memories of a lesson a lesson of their own, and returns it. Refuses a caller of this trust that may not change one
    /// of them.
    pub async fn split(
        &self,
        lesson: LessonId,
        memories: &[MemoryId],
        actor: &AuditActor,
        trust: Trust,
    ) -> Result<(LessonId, Curated), StoreError> {
        let mut transaction = self.db.write().await?;
        let states = lock_memories(&mut transaction, memories).await?;
        // Another caller may have moved one of them.
        let is_part = |state: &MemoryState| state.lesson_id.is_none_or(|held| held == lesson);
        if states.len() < memories.len() || !states.iter().all(is_part) {
            return Err(StoreError::Conflict { what: "a memory is not part of this lesson" });
        }
        let may =
            |state: &MemoryState| may_curate(trust, CurationEffect::Changes, state.trust, state.quarantined);
        if !states.iter().all(may) {
            return Err(StoreError::Forbidden { what: UNTRUSTED_CURATION });
        }
        let new = free_id(&mut transaction, &states).await?;
        let summary = json!({ "lesson_id": lesson, "new_lesson_id": new, "memory_ids": memories });
        let action = actions::begin(&mut transaction, actor, "lesson.split", &summary).await?;
        let change = MemoryChange::Lesson(Some(new));
        let noted: Vec<Noted> = states.iter().map(|state| change.noted(state)).collect();
        apply_changes(&mut transaction, action, &noted).await?;
        transaction.commit().await?;
        let changed = states.iter().map(|state| state.memory_id).collect();
        Ok((new, Curated { action_id: Some(action), changed }))
    }
}

/// The id of a new lesson of locked memories: that of the oldest of them that is not the lesson of other memories, else a new
/// one.
async fn free_id(transaction: &mut ProjectTx, states: &[MemoryState]) -> Result<LessonId, StoreError> {
    let own: Vec<LessonId> = states.iter().map(|state| state.memory_id.into()).collect();
    let held: Vec<LessonId> = sqlx::query_scalar(include_str!("../../sql/lessons/held_by_others.sql"))
        .bind(transaction.project)
        .bind(&own)
        .fetch_all(&mut **transaction)
        .await?;
    Ok(own.into_iter().find(|id| !held.contains(id)).unwrap_or_else(LessonId::generate))
}
