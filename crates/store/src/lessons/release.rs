//! What memories absorbed, and what a review superseded, is as before when they are gone.

use std::collections::BTreeSet;

use reflect_types::{MemoryId, ReviewId};

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::memory_changes::{self, PRESENCE, count_absorbed};

/// The memories that a review created: that of its run, and those of its steps.
pub(crate) async fn made_by(
    transaction: &mut ProjectTx,
    review: ReviewId,
) -> Result<Vec<MemoryId>, StoreError> {
    let made = sqlx::query_scalar(include_str!("../../sql/lessons/made_by.sql"));
    Ok(made.bind(transaction.project).bind(review).fetch_all(&mut **transaction).await?)
}

/// Locks the states of runs that may point to other memories when these memories are gone, and when a review ends: the runs that
/// the memories absorbed, and their own. To be called before any text or memory is locked.
pub(crate) async fn lock_absorbed_runs(
    transaction: &mut ProjectTx,
    review: Option<ReviewId>,
    memories: &[MemoryId],
) -> Result<(), StoreError> {
    let mut changed = released(transaction, review, memories).await?;
    changed.extend(memories);
    lock_runs(transaction, &changed).await
}

/// Locks the states of the runs of memories that were absorbed at some time. The presence of these memories decides what their
/// runs point to.
pub(crate) async fn lock_runs(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    if memories.is_empty() {
        return Ok(());
    }
    let held = sqlx::query(include_str!("../../sql/lessons/lock_runs.sql"));
    held.bind(transaction.project).bind(memories).execute(&mut **transaction).await?;
    Ok(())
}

/// Releases what memories that are retired or erased have absorbed, and what a review that ended has superseded. The memories
/// that they were merged into until then (`absorbers`) count them no more. The caller holds the locks.
pub(crate) async fn release(
    transaction: &mut ProjectTx,
    review: Option<ReviewId>,
    gone: &[MemoryId],
    absorbers: &[MemoryId],
) -> Result<(), StoreError> {
    count_absorbed(transaction, absorbers, &[]).await?;
    let released = released(transaction, review, gone).await?;
    #[cfg(debug_assertions)]
    if transaction.has_fault(StoreFault::AbsorptionSurvivesWithdrawal) {
        return Ok(());
    }
    if released.is_empty() {
        return Ok(());
    }
    memory_changes::settle(transaction, &released, &BTreeSet::from([PRESENCE])).await
}

async fn released(
    transaction: &mut ProjectTx,
    review: Option<ReviewId>,
    gone: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let released = sqlx::query_scalar(include_str!("../../sql/lessons/released.sql"));
    let released = released.bind(transaction.project).bind(gone).bind(review);
    Ok(released.fetch_all(&mut **transaction).await?)
}
