//! The current state of memories, computed from the curation ledger after a change and after an undo.

use std::collections::{BTreeSet, HashSet};

use reflect_rules::curation::may_pin;
use reflect_types::{MemoryId, WebhookEventType};
use uuid::Uuid;

use super::absorbed::{
    LessonStep, absorbers, count_absorbed, end_stale, missing_steps, restate_created, with_absorbed,
};
use super::change::{
    ChangeRow, ChangedRow, Facets, LESSON, MemoryState, Noted, PINNED, PRESENCE, Presence, TEXT, what_holds,
};
use super::text::switch_texts;
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::jobs;
use crate::ledger::{self, Changed, Prepared};
use crate::outbox::NewEvent;

/// Locks memories in the common lock order and returns their states. Those that they are merged into are locked too, because
/// these count them.
pub(crate) async fn lock_memories(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryState>, StoreError> {
    let held =
        sqlx::query_as(include_str!("../../sql/curation/lock.sql")).bind(transaction.project).bind(memories);
    let mut states: Vec<MemoryState> = held.fetch_all(&mut **transaction).await?;
    let named: HashSet<MemoryId> = memories.iter().copied().collect();
    states.retain(|state| named.contains(&state.memory_id));
    Ok(states)
}

/// The same with what is merged into the memories. One statement locks all in the common order; only what was absorbed while it
/// waited is locked after it.
pub(crate) async fn lock_with_absorbed(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryState>, StoreError> {
    let found = with_absorbed(transaction, memories).await?;
    let states = lock_memories(transaction, &found).await?;
    let now = with_absorbed(transaction, memories).await?;
    if now == found { Ok(states) } else { lock_memories(transaction, &now).await }
}

/// Stores changes to locked memories and applies them.
pub(crate) async fn apply_changes(
    transaction: &mut ProjectTx,
    action: ActionId,
    noted: &[Noted],
) -> Result<(), StoreError> {
    let changed = insert_changes(transaction, action, noted).await?;
    let memories: BTreeSet<MemoryId> = noted.iter().map(|noted| noted.memory_id).collect();
    take_effect(transaction, &memories.into_iter().collect::<Vec<_>>(), &changed).await
}

/// Stores changes to locked memories.
pub(crate) async fn insert_changes(
    transaction: &mut ProjectTx,
    action: ActionId,
    noted: &[Noted],
) -> Result<Vec<ChangedRow>, StoreError> {
    let changed = sqlx::query_as(include_str!("../../sql/curation/insert_changes.sql"))
        .bind(transaction.project)
        .bind(action)
        .bind(noted.iter().map(|noted| noted.memory_id).collect::<Vec<_>>())
        .bind(noted.iter().map(|noted| noted.facet).collect::<Vec<_>>())
        .bind(noted.iter().map(|noted| &noted.before).collect::<Vec<_>>())
        .bind(noted.iter().map(|noted| &noted.after).collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    Ok(changed)
}

/// Brings memories up to date after changes were stored or undone.
pub(crate) async fn take_effect(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
    changed: &[ChangedRow],
) -> Result<(), StoreError> {
    settle(transaction, memories, &changed.iter().map(|row| row.facet).collect()).await?;
    let steps: Vec<Changed> =
        changed.iter().filter(|row| row.moves_utility()).map(ChangedRow::step).collect();
    ledger::refold(transaction, &steps, &Prepared::default()).await
}

/// Computes some facets from the curation ledger, writes them, and updates texts, vectors and pins.
pub(crate) async fn settle(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
    facets: &BTreeSet<i16>,
) -> Result<(), StoreError> {
    let mut merged_before = Vec::new();
    if facets.contains(&PRESENCE) {
        end_stale(transaction, memories).await?;
        merged_before = absorbers(transaction, memories).await?;
    }
    let rows: Vec<ChangeRow> = sqlx::query_as(include_str!("../../sql/curation/changes.sql"))
        .bind(transaction.project)
        .bind(memories)
        .bind(facets.iter().copied().collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    let held: Vec<(MemoryId, Facets)> = what_holds(&rows).into_iter().collect();
    write_facets(transaction, &held).await?;
    if facets.contains(&LESSON) || held.iter().any(|(_, facets)| is_absorbed(facets)) {
        keep_in_step(transaction, memories).await?;
    }
    if facets.contains(&TEXT) {
        let texts = held.iter().filter_map(|(memory, facets)| Some((*memory, facets.version?)));
        switch_texts(transaction, &texts.collect::<Vec<_>>()).await?;
    }
    if facets.contains(&PRESENCE) {
        let merged_now = absorbers(transaction, memories).await?;
        count_absorbed(transaction, &merged_before, &merged_now).await?;
    }
    restate_created(transaction, &created(&rows, &held)).await?;
    // Vectors do not depend on the lesson.
    if facets.iter().any(|facet| *facet != LESSON) && !stays_searched(transaction, &held) {
        move_vectors(transaction, memories).await?;
    }
    if facets.contains(&PINNED) {
        update_pins(transaction).await?;
    }
    Ok(())
}

fn is_absorbed(facets: &Facets) -> bool {
    matches!(facets.presence, Some(Presence::Absorbed(_)))
}

/// Gives absorbed situations the lesson of those that absorbed them. It is needed after an undo: other changes of a lesson
/// contain those of what follows.
async fn keep_in_step(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    let mut changed = memories.to_vec();
    // What follows may have absorbed others. It is newer than the one that absorbed it, so this ends.
    while !changed.is_empty() {
        let steps = missing_steps(transaction, &changed).await?;
        changed = steps.iter().map(|step| step.memory_id).collect();
        write_steps(transaction, &steps).await?;
    }
    Ok(())
}

async fn write_steps(transaction: &mut ProjectTx, steps: &[LessonStep]) -> Result<(), StoreError> {
    if steps.is_empty() {
        return Ok(());
    }
    let memories: Vec<MemoryId> = steps.iter().map(|step| step.memory_id).collect();
    // Usually held already, unless one was absorbed in the meantime.
    lock_memories(transaction, &memories).await?;
    for step in steps {
        let noted = Noted::lesson(step.memory_id, step.before, Some(step.after));
        insert_changes(transaction, step.action, &[noted]).await?;
    }
    sqlx::query(include_str!("../../sql/lessons/set_lessons.sql"))
        .bind(transaction.project)
        .bind(&memories)
        .bind(steps.iter().map(|step| step.after).collect::<Vec<_>>())
        .bind(vec![None::<Uuid>; steps.len()])
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The memories that were absorbed at some time, and what their runs created: the absorbing memory, or their own.
fn created(rows: &[ChangeRow], held: &[(MemoryId, Facets)]) -> Vec<(MemoryId, MemoryId)> {
    let is_absorption = |row: &&ChangeRow| row.facet == PRESENCE && row.after.get("absorbed").is_some();
    let absorbed: BTreeSet<MemoryId> = rows.iter().filter(is_absorption).map(|row| row.memory_id).collect();
    let found = held.iter().filter(|(memory, _)| absorbed.contains(memory));
    let created = found.map(|(memory, facets)| match facets.presence {
        Some(Presence::Absorbed(into)) => (*memory, into),
        _ => (*memory, *memory),
    });
    created.collect()
}

/// Whether a fault run leaves superseded memories in the search.
#[cfg(debug_assertions)]
fn stays_searched(transaction: &ProjectTx, held: &[(MemoryId, Facets)]) -> bool {
    let is_superseded = |facets: &Facets| matches!(facets.presence, Some(Presence::Superseded(_)));
    transaction.has_fault(StoreFault::SupersededStaysSearched)
        && held.iter().any(|(_, facets)| is_superseded(facets))
}

#[cfg(not(debug_assertions))]
const fn stays_searched(_: &ProjectTx, _: &[(MemoryId, Facets)]) -> bool {
    false
}

async fn write_facets(transaction: &mut ProjectTx, held: &[(MemoryId, Facets)]) -> Result<(), StoreError> {
    let presence = |facets: &Facets| facets.presence.map(Presence::code);
    let quarantined: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/curation/settle.sql"))
        .bind(transaction.project)
        .bind(held.iter().map(|(memory, _)| *memory).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| presence(facets)).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.presence?.merged_into()).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.quarantined).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.pinned).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.presence?.superseded_by()).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.lesson.is_some()).collect::<Vec<_>>())
        .bind(held.iter().map(|(_, facets)| facets.lesson.flatten()).collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    let events = quarantined.into_iter().map(|memory| NewEvent::quarantined(memory, "changed"));
    transaction.outgoing.add(WebhookEventType::MemoryQuarantined.bit(), events);
    Ok(())
}

/// Moves vectors according to the status. Queues indexing for servable memories without a vector.
pub(crate) async fn move_vectors(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<(), StoreError> {
    for moved in [include_str!("../../sql/curation/park.sql"), include_str!("../../sql/curation/unpark.sql")]
    {
        sqlx::query(moved).bind(transaction.project).bind(memories).execute(&mut **transaction).await?;
    }
    let unplaced: Option<bool> = sqlx::query_scalar(include_str!("../../sql/curation/unindexed.sql"))
        .bind(transaction.project)
        .bind(memories)
        .fetch_optional(&mut **transaction)
        .await?;
    if unplaced == Some(true) {
        jobs::enqueue_indexing(transaction, std::time::Duration::ZERO).await?;
    }
    Ok(())
}

/// Updates the list of pinned memories in the project row. Refuses too many pins.
async fn update_pins(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let before: Option<Vec<MemoryId>> = sqlx::query_scalar(include_str!("../../sql/curation/lock_pins.sql"))
        .bind(transaction.project)
        .fetch_optional(&mut **transaction)
        .await?;
    // A separate statement, because it must see pins that were committed while the lock was waited for.
    let after: Option<Vec<MemoryId>> = sqlx::query_scalar(include_str!("../../sql/curation/save_pins.sql"))
        .bind(transaction.project)
        .fetch_optional(&mut **transaction)
        .await?;
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    if !may_pin(before.len(), after.len()) {
        return Err(StoreError::TooManyPins { pinned: before });
    }
    Ok(())
}
