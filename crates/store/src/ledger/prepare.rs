//! Folding a long ledger before its memory is locked, so that a review can be withdrawn with a short lock.
//!
//! A withdrawn review changes everything after it. For a memory with a million entries that takes a second, and every
//! review that names the memory would wait. So the fold without the review is computed from a snapshot first. Under the
//! lock only the entries since the snapshot are added, provided that nothing else changed the order before them.

use std::collections::BTreeMap;

use reflect_rules::credit::{PlacedStep, UtilityStanding};
use reflect_rules::fold::FoldCheckpoint;
use reflect_types::{Credit, MemoryId, ReviewId};

use super::checkpoints::{self, EVERY, StoredFold};
use super::rows::curation_steps;
use crate::db::{ProjectDb, ProjectTx};
use crate::error::StoreError;

/// Memories with at most this many reviews are folded under the lock: two pages.
const SHORT: i64 = 2 * EVERY;

/// Folds of long ledgers without one review.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(super) utility: BTreeMap<MemoryId, PreparedFold<UtilityStanding>>,
    pub(super) credit: BTreeMap<MemoryId, PreparedFold<Credit>>,
}

/// The fold of one memory, from the last checkpoint before the review to the end of the snapshot.
#[derive(Debug)]
pub(super) struct PreparedFold<S> {
    /// How often the memory had been folded again.
    refolds: i32,
    /// New checkpoints after the review.
    pub(super) made: Vec<FoldCheckpoint<S>>,
    /// The last entry of the snapshot.
    pub(super) end: FoldCheckpoint<S>,
}

impl Prepared {
    /// The folds whose memories were not folded again since. `held` are the locked memories with their counts.
    pub(super) fn still_valid(mut self, held: &[(MemoryId, i32)]) -> Self {
        let is_valid = |memory: &MemoryId, refolds: i32| held.contains(&(*memory, refolds));
        self.utility.retain(|memory, fold| is_valid(memory, fold.refolds));
        self.credit.retain(|memory, fold| is_valid(memory, fold.refolds));
        self
    }
}

/// An entry of the review in a long ledger.
#[derive(sqlx::FromRow)]
struct LongFold {
    memory_id: MemoryId,
    seq: i64,
    credited: Option<i32>,
    refolds: i32,
}

/// Folds the memories with long ledgers that a review moved, as if it did not exist. Takes no lock.
pub(crate) async fn prepare(db: &ProjectDb, review: ReviewId) -> Result<Prepared, StoreError> {
    let mut transaction = db.snapshot_transaction().await?;
    let long: Vec<LongFold> = sqlx::query_as(include_str!("../../sql/ledger/long_folds.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(SHORT)
        .fetch_all(&mut *transaction)
        .await?;
    let mut prepared = Prepared::default();
    if !long.is_empty() {
        let memories: Vec<MemoryId> = long.iter().map(|entry| entry.memory_id).collect();
        let steps = curation_steps(&mut transaction, &memories).await?;
        prepared.utility =
            fold_without(&mut transaction, review, &steps, &long, |entry| Some(entry.seq)).await?;
        prepared.credit =
            fold_without(&mut transaction, review, &steps, &long, |entry| entry.credited.map(i64::from))
                .await?;
    }
    transaction.commit().await?;
    Ok(prepared)
}

async fn fold_without<S: StoredFold>(
    transaction: &mut ProjectTx,
    review: ReviewId,
    steps: &[PlacedStep],
    long: &[LongFold],
    position: fn(&LongFold) -> Option<i64>,
) -> Result<BTreeMap<MemoryId, PreparedFold<S>>, StoreError> {
    let before: Vec<(MemoryId, i64)> =
        long.iter().filter_map(|entry| Some((entry.memory_id, position(entry)? - 1))).collect();
    if before.is_empty() {
        return Ok(BTreeMap::new());
    }
    let starts = checkpoints::before::<S>(transaction, &before).await?;
    let tail = checkpoints::advance(transaction, starts, steps, Some(review), i64::MAX).await?;
    let folds = long.iter().filter_map(|entry| {
        let end = *tail.ends.get(&entry.memory_id)?;
        let made = tail.made.iter().filter(|(memory, _)| *memory == entry.memory_id);
        let made = made.map(|(_, checkpoint)| *checkpoint).collect();
        Some((entry.memory_id, PreparedFold { refolds: entry.refolds, made, end }))
    });
    Ok(folds.collect())
}
