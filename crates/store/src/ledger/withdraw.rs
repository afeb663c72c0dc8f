//! Withdrawing a review: its entries stay in the ledger and do not count any more.

use reflect_types::{MemoryId, ReviewId};

use super::prepare::Prepared;
use super::refold::{Changed, refold};
use super::shares::update_shares;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// Withdraws a review, and folds the memories that it moved without it. Locks these, those that it created (`made`) with what
/// depends on them, and further ones that the caller needs (`also`).
pub(crate) async fn withdraw(
    transaction: &mut ProjectTx,
    review: ReviewId,
    prepared: Prepared,
    made: &[MemoryId],
    also: &[MemoryId],
) -> Result<(), StoreError> {
    let held: Vec<(MemoryId, i32)> = sqlx::query_as(include_str!("../../sql/ledger/lock_of_review.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(made)
        .bind(also)
        .fetch_all(&mut **transaction)
        .await?;
    if held.is_empty() {
        return Ok(());
    }
    let withdrawn: Vec<(MemoryId, i64, Option<i32>)> =
        sqlx::query_as(include_str!("../../sql/ledger/withdraw.sql"))
            .bind(transaction.project)
            .bind(review)
            .fetch_all(&mut **transaction)
            .await?;
    let changed: Vec<Changed> =
        withdrawn.iter().map(|(memory, seq, credited)| Changed::entry(*memory, *seq, *credited)).collect();
    refold(transaction, &changed, &prepared.still_valid(&held)).await?;
    let memories: Vec<MemoryId> = withdrawn.iter().map(|(memory, ..)| *memory).collect();
    update_shares(transaction, memories).await
}
