//! Checkpoints of folds: stored after every [`EVERY`] entries of a memory, used when an entry after them changes.

use std::collections::BTreeMap;

use reflect_rules::credit::{LedgerEntry, PlacedStep, UtilityStanding};
use reflect_rules::fold::{FoldCheckpoint, Folded};
use reflect_types::{Credit, MemoryId, ReviewId, Utility};

use super::rows::LedgerRow;
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// Entries between two checkpoints, and entries in one page of a fold. Reading a page takes about 5 ms under the lock of
/// the memory, and a million entries have 250 checkpoints. Few in debug builds, so that tests use them.
pub(super) const EVERY: i64 = if cfg!(debug_assertions) { 16 } else { 4096 };

/// How a folded value is stored.
pub(super) trait StoredFold: Folded + Send + Sync {
    /// The number of the fold.
    const KIND: i16;
    /// The statement that reads a page of entries in the order of this fold.
    const PAGE: &'static str;

    /// Value, reviews and passes.
    fn parts(&self) -> (f32, i32, i32);

    fn from_parts(value: f32, reviews: i32, passes: i32) -> Self;
}

impl StoredFold for UtilityStanding {
    const KIND: i16 = 0;
    const PAGE: &'static str = include_str!("../../sql/ledger/utility_page.sql");

    fn parts(&self) -> (f32, i32, i32) {
        (self.utility.get(), self.reviews, self.passes)
    }

    fn from_parts(value: f32, reviews: i32, passes: i32) -> Self {
        Self { utility: Utility::stored(value), reviews, passes }
    }
}

impl StoredFold for Credit {
    const KIND: i16 = 1;
    const PAGE: &'static str = include_str!("../../sql/ledger/credit_page.sql");

    fn parts(&self) -> (f32, i32, i32) {
        (self.value(), self.evidence(), 0)
    }

    fn from_parts(value: f32, reviews: i32, _passes: i32) -> Self {
        Self::stored(value, reviews)
    }
}

/// A checkpoint as a row.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(crate) struct StoredCheckpoint {
    memory_id: MemoryId,
    fold: i16,
    position: i64,
    value: f32,
    reviews: i32,
    passes: i32,
}

impl StoredCheckpoint {
    /// The memory, and its checkpoint if it is one of the utility.
    pub(crate) fn utility(&self) -> Option<(MemoryId, FoldCheckpoint<UtilityStanding>)> {
        self.checkpoint()
    }

    /// The memory, and its checkpoint if it is one of the credit.
    pub(crate) fn credit(&self) -> Option<(MemoryId, FoldCheckpoint<Credit>)> {
        self.checkpoint()
    }

    fn checkpoint<S: StoredFold>(&self) -> Option<(MemoryId, FoldCheckpoint<S>)> {
        let value = S::from_parts(self.value, self.reviews, self.passes);
        (self.fold == S::KIND).then_some((self.memory_id, FoldCheckpoint { position: self.position, value }))
    }
}

/// The result of folding pages.
#[derive(Debug)]
pub(super) struct Tail<S> {
    /// The last entry of each memory.
    pub(super) ends: BTreeMap<MemoryId, FoldCheckpoint<S>>,
    /// A checkpoint after each full page.
    pub(super) made: Vec<(MemoryId, FoldCheckpoint<S>)>,
}

/// The last checkpoint of each memory at or before a position. The start if there is none.
pub(super) async fn before<S: StoredFold>(
    transaction: &mut ProjectTx,
    positions: &[(MemoryId, i64)],
) -> Result<BTreeMap<MemoryId, FoldCheckpoint<S>>, StoreError> {
    let (memories, limits): (Vec<MemoryId>, Vec<i64>) = positions.iter().copied().unzip();
    let found: Vec<StoredCheckpoint> =
        sqlx::query_as(include_str!("../../sql/ledger/checkpoints_before.sql"))
            .bind(transaction.project)
            .bind(S::KIND)
            .bind(&memories)
            .bind(limits)
            .fetch_all(&mut **transaction)
            .await?;
    let mut starts: BTreeMap<MemoryId, FoldCheckpoint<S>> =
        memories.into_iter().map(|memory| (memory, FoldCheckpoint::START)).collect();
    starts.extend(found.iter().filter_map(StoredCheckpoint::checkpoint::<S>));
    Ok(starts)
}

/// Removes the checkpoints of each memory after a position, because something before them changed.
pub(super) async fn remove_after<S: StoredFold>(
    transaction: &mut ProjectTx,
    positions: &[(MemoryId, i64)],
) -> Result<(), StoreError> {
    #[cfg(debug_assertions)]
    if let Some((StoreFault::StaleCheckpoints, _)) = &transaction.faulty {
        return Ok(());
    }
    let (memories, limits): (Vec<MemoryId>, Vec<i64>) = positions.iter().copied().unzip();
    sqlx::query(include_str!("../../sql/ledger/remove_checkpoints.sql"))
        .bind(transaction.project)
        .bind(S::KIND)
        .bind(memories)
        .bind(limits)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Stores checkpoints.
pub(super) async fn insert<S: StoredFold>(
    transaction: &mut ProjectTx,
    made: &[(MemoryId, FoldCheckpoint<S>)],
) -> Result<(), StoreError> {
    if made.is_empty() {
        return Ok(());
    }
    let parts = || made.iter().map(|(_, checkpoint)| checkpoint.value.parts());
    sqlx::query(include_str!("../../sql/ledger/insert_checkpoints.sql"))
        .bind(transaction.project)
        .bind(S::KIND)
        .bind(made.iter().map(|(memory, _)| *memory).collect::<Vec<_>>())
        .bind(made.iter().map(|(_, checkpoint)| checkpoint.position).collect::<Vec<_>>())
        .bind(parts().map(|(value, ..)| value).collect::<Vec<_>>())
        .bind(parts().map(|(_, reviews, _)| reviews).collect::<Vec<_>>())
        .bind(parts().map(|(.., passes)| passes).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Folds memories from checkpoints on, page by page, as if `without` did not exist. Entries after `upto` do not count.
pub(super) async fn advance<S: StoredFold>(
    transaction: &mut ProjectTx,
    mut ends: BTreeMap<MemoryId, FoldCheckpoint<S>>,
    steps: &[PlacedStep],
    without: Option<ReviewId>,
    upto: i64,
) -> Result<Tail<S>, StoreError> {
    let mut made = Vec::new();
    let mut open: Vec<(MemoryId, i64)> = ends.iter().map(|(memory, end)| (*memory, end.position)).collect();
    while !open.is_empty() {
        let (memories, after): (Vec<MemoryId>, Vec<i64>) = open.drain(..).unzip();
        let rows: Vec<LedgerRow> = sqlx::query_as(S::PAGE)
            .bind(transaction.project)
            .bind(memories)
            .bind(after)
            .bind(EVERY)
            .bind(without)
            .bind(upto)
            .fetch_all(&mut **transaction)
            .await?;
        for page in rows.chunk_by(|one, next| one.0.memory_id == next.0.memory_id) {
            let memory = page[0].0.memory_id;
            let Some(end) = ends.get_mut(&memory) else { continue };
            let entries: Vec<&LedgerEntry> = page.iter().map(|row| &row.0).collect();
            *end = end.advanced(&entries, &steps_of(steps, memory));
            if page.len() as i64 == EVERY {
                made.push((memory, *end));
                open.push((memory, end.position));
            }
        }
    }
    Ok(Tail { ends, made })
}

/// The steps of one memory.
pub(super) fn steps_of(steps: &[PlacedStep], memory: MemoryId) -> Vec<&PlacedStep> {
    steps.iter().filter(|step| step.memory_id == memory).collect()
}
