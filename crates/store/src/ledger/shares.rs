//! Shares of merged memories. A merge copies what a memory was worth at that time into the curation ledger of the
//! survivor. When the memory's own past changes, because an earlier merge is undone or an earlier review withdrawn, the copy
//! changes too, and so do the copies of the copy.

use std::collections::{BTreeMap, BTreeSet};

use reflect_rules::credit::{Share, ShareOrigin, UtilityStanding};
use reflect_types::{Credit, MemoryId};
use sqlx::types::Json;

use super::checkpoints::{self, StoredFold, steps_of};
use super::prepare::Prepared;
use super::refold::{Changed, refold};
use super::rows::curation_steps;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// A merge that is in use.
#[derive(sqlx::FromRow)]
struct MergeRow {
    /// The survivor.
    memory_id: MemoryId,
    seq: i64,
    shares: Json<Vec<Share>>,
    entered: i64,
    credited: i32,
}

/// How far the ledgers of memories have come. The caller holds their locks.
pub(crate) async fn origins(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<BTreeMap<MemoryId, ShareOrigin>, StoreError> {
    let rows: Vec<(MemoryId, i64, i32, i64)> = sqlx::query_as(include_str!("../../sql/curation/origins.sql"))
        .bind(transaction.project)
        .bind(memories)
        .fetch_all(&mut **transaction)
        .await?;
    let origins = rows
        .into_iter()
        .map(|(memory, entered, credited, changes)| (memory, ShareOrigin { entered, credited, changes }));
    Ok(origins.collect())
}

/// These memories, and all that they were merged into, directly or through others.
pub(crate) async fn with_survivors(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let reached = sqlx::query_scalar(include_str!("../../sql/curation/survivors.sql"));
    Ok(reached.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

/// Computes the shares of changed memories in later merges again, and folds the survivors whose shares differ. This ends,
/// because a share depends only on what happened before its merge.
pub(crate) async fn update_shares(
    transaction: &mut ProjectTx,
    changed: Vec<MemoryId>,
) -> Result<(), StoreError> {
    let mut donors: BTreeSet<MemoryId> = changed.into_iter().collect();
    while !donors.is_empty() {
        let merges = merges_of(transaction, &donors).await?;
        if merges.is_empty() {
            return Ok(());
        }
        // Usually held already. Read again under the lock: another transaction may have changed the shares.
        let survivors: Vec<MemoryId> = merges.iter().map(|merge| merge.memory_id).collect();
        let held = sqlx::query(include_str!("../../sql/ledger/lock_memories.sql")).bind(transaction.project);
        held.bind(survivors).execute(&mut **transaction).await?;
        let mut refolded = Vec::new();
        for merge in merges_of(transaction, &donors).await? {
            refolded.extend(update_merge(transaction, merge, &donors).await?);
        }
        donors = refolded.iter().map(|(survivor, _)| *survivor).collect();
        let steps: Vec<Changed> = refolded.into_iter().map(|(_, step)| step).collect();
        refold(transaction, &steps, &Prepared::default()).await?;
    }
    Ok(())
}

/// Updates the shares of one merge. Returns its survivor and where it changed, if a share differs.
async fn update_merge(
    transaction: &mut ProjectTx,
    merge: MergeRow,
    donors: &BTreeSet<MemoryId>,
) -> Result<Option<(MemoryId, Changed)>, StoreError> {
    let MergeRow { memory_id, seq, shares: Json(before), entered, credited } = merge;
    let mut shares = before.clone();
    for share in shares.iter_mut().filter(|share| donors.contains(&share.memory_id)) {
        if let Some(origin) = share.origin {
            *share = share_at(transaction, share.memory_id, origin).await?;
        }
    }
    if shares == before {
        return Ok(None);
    }
    sqlx::query(include_str!("../../sql/curation/set_shares.sql"))
        .bind(transaction.project)
        .bind(memory_id)
        .bind(seq)
        .bind(Json(shares))
        .execute(&mut **transaction)
        .await?;
    Ok(Some((memory_id, Changed::step(memory_id, entered, credited))))
}

/// What a memory was worth at an earlier time, by its ledgers as they are now.
async fn share_at(
    transaction: &mut ProjectTx,
    memory_id: MemoryId,
    origin: ShareOrigin,
) -> Result<Share, StoreError> {
    let standing: UtilityStanding = value_at(transaction, memory_id, origin.entered, origin.changes).await?;
    let credit: Credit = value_at(transaction, memory_id, i64::from(origin.credited), origin.changes).await?;
    Ok(Share {
        memory_id,
        q: standing.utility.get(),
        reviews: standing.reviews,
        passes: standing.passes,
        credit: credit.value(),
        evidence: credit.evidence(),
        origin: Some(origin),
    })
}

async fn value_at<S: StoredFold>(
    transaction: &mut ProjectTx,
    memory: MemoryId,
    position: i64,
    changes: i64,
) -> Result<S, StoreError> {
    let mut steps = curation_steps(transaction, &[memory]).await?;
    steps.retain(|step| step.seq <= changes);
    let start = checkpoints::before::<S>(transaction, &[(memory, position)]).await?;
    let tail = checkpoints::advance(transaction, start, &steps, None, position).await?;
    let end = tail.ends.get(&memory).copied().ok_or(StoreError::Corrupt { what: "merge" })?;
    Ok(end.finished(&steps_of(&steps, memory)))
}

async fn merges_of(
    transaction: &mut ProjectTx,
    donors: &BTreeSet<MemoryId>,
) -> Result<Vec<MergeRow>, StoreError> {
    let merges = sqlx::query_as(include_str!("../../sql/curation/merges_of.sql"));
    let donors: Vec<MemoryId> = donors.iter().copied().collect();
    Ok(merges.bind(transaction.project).bind(donors).fetch_all(&mut **transaction).await?)
}
