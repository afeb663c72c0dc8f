//! Splitting memories out of a lesson: they get a lesson of their own.

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_types::{CrashPoint, LessonId, MemoryId, Trust};
use serde_json::json;

use super::CurationStore;
use super::apply::{Curated, noted_changes};
use crate::actions;
use crate::audit::AuditActor;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::memory_changes::{MemoryChange, MemoryState, apply_changes, following, lock_with_absorbed};

impl CurationStore<'_> {
    /// Gives memories of a lesson a lesson of their own, and returns it. What is merged into them follows. Refuses a memory that
    /// is merged into another one, and a caller of this trust that may not change one of them.
    pub async fn split(
        &self,
        lesson: LessonId,
        memories: &[MemoryId],
        actor: &AuditActor,
        trust: Trust,
    ) -> Result<(LessonId, Curated), StoreError> {
        let mut transaction = self.db.write().await?;
        let states = lock_with_absorbed(&mut transaction, memories).await?;
        let named: Vec<&MemoryState> =
            states.iter().filter(|state| memories.contains(&state.memory_id)).collect();
        check_named(lesson, memories, &named)?;
        let may =
            |state: &MemoryState| may_curate(trust, CurationEffect::Changes, state.trust, state.quarantined);
        if !states.iter().all(may) {
            return Err(StoreError::Forbidden { what: UNTRUSTED_CURATION });
        }
        let new = free_id(&mut transaction, &named).await?;
        let summary = json!({ "lesson_id": lesson, "new_lesson_id": new, "memory_ids": memories });
        let action = actions::begin(&mut transaction, actor, "lesson.split", &summary).await?;
        let change = MemoryChange::Lesson(Some(new));
        let mut changes: Vec<(MemoryId, MemoryChange)> =
            named.iter().map(|state| (state.memory_id, change.clone())).collect();
        changes.extend(following(&changes, &states));
        apply_changes(&mut transaction, action, &noted_changes(&changes, &states)?).await?;
        transaction.commit_at(CrashPoint::LessonSplit).await?;
        let changed = changes.into_iter().map(|(memory, _)| memory).collect();
        Ok((new, Curated { action_id: Some(action), changed }))
    }
}

/// Whether the locked memories can be split off. Another caller may have moved one of them.
fn check_named(lesson: LessonId, memories: &[MemoryId], named: &[&MemoryState]) -> Result<(), StoreError> {
    if let Some(into) = named.iter().find_map(|state| state.presence.merged_into()) {
        return Err(StoreError::PartOfMemory { into });
    }
    let is_part = |state: &&MemoryState| state.lesson_id.is_none_or(|held| held == lesson);
    match named.len() == memories.len() && named.iter().all(is_part) {
        true => Ok(()),
        false => Err(StoreError::Conflict { what: "a memory is not part of this lesson" }),
    }
}

/// The id of a new lesson of locked memories: that of the oldest of them that is not the lesson of other memories, else a new
/// one.
async fn free_id(transaction: &mut ProjectTx, named: &[&MemoryState]) -> Result<LessonId, StoreError> {
    let own: Vec<LessonId> = named.iter().map(|state| state.memory_id.into()).collect();
    let held: Vec<LessonId> = sqlx::query_scalar(include_str!("../../sql/lessons/held_by_others.sql"))
        .bind(transaction.project)
        .bind(&own)
        .fetch_all(&mut **transaction)
        .await?;
    Ok(own.into_iter().find(|id| !held.contains(id)).unwrap_or_else(LessonId::generate))
}
