//! Folding memories again after an entry was withdrawn or a curation step changed. The updates do not commute and cannot
//! be reverted one by one, so everything after the change is applied again.

use std::collections::BTreeMap;

use reflect_rules::credit::{PlacedStep, UtilityStanding};
use reflect_types::{Credit, MemoryId};

use super::checkpoints::{self, StoredFold, steps_of};
use super::prepare::{Prepared, PreparedFold};
use super::rows::curation_steps;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// Up to which positions the ledger of a memory is as it was. What comes after them is folded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Changed {
    memory: MemoryId,
    entered: i64,
    /// `None` if the credit did not change.
    credited: Option<i64>,
}

impl Changed {
    /// An entry was withdrawn.
    pub(super) fn entry(memory: MemoryId, seq: i64, credited: Option<i32>) -> Self {
        Self { memory, entered: seq - 1, credited: credited.map(|credited| i64::from(credited) - 1) }
    }

    /// A step was added, changed or undone. It comes after the entry at its position, so a checkpoint there stays valid.
    pub(crate) fn step(memory: MemoryId, entered: i64, credited: i32) -> Self {
        Self { memory, entered, credited: Some(i64::from(credited)) }
    }

    fn earliest(self, other: Self) -> Self {
        let credited = self.credited.into_iter().chain(other.credited).min();
        Self { entered: self.entered.min(other.entered), credited, ..self }
    }
}

/// Folds memories again from the positions where they changed. The caller holds their locks.
pub(crate) async fn refold(
    transaction: &mut ProjectTx,
    changed: &[Changed],
    prepared: &Prepared,
) -> Result<(), StoreError> {
    let mut first: BTreeMap<MemoryId, Changed> = BTreeMap::new();
    for one in changed {
        first.entry(one.memory).and_modify(|other| *other = other.earliest(*one)).or_insert(*one);
    }
    if first.is_empty() {
        return Ok(());
    }
    let memories: Vec<MemoryId> = first.keys().copied().collect();
    let steps = curation_steps(transaction, &memories).await?;
    let entered: Vec<(MemoryId, i64)> = first.values().map(|one| (one.memory, one.entered)).collect();
    let credited: Vec<(MemoryId, i64)> =
        first.values().filter_map(|one| Some((one.memory, one.credited?))).collect();
    let standings: BTreeMap<MemoryId, UtilityStanding> =
        fold_after(transaction, &entered, &steps, &prepared.utility).await?;
    let credits: BTreeMap<MemoryId, Credit> =
        fold_after(transaction, &credited, &steps, &prepared.credit).await?;
    let standing = |part: fn(&UtilityStanding) -> i32| standings.values().map(part).collect::<Vec<i32>>();
    let credit = |memory: &MemoryId| credits.get(memory);
    sqlx::query(include_str!("../../sql/ledger/refold.sql"))
        .bind(transaction.project)
        .bind(standings.keys().copied().collect::<Vec<_>>())
        .bind(standings.values().map(|standing| standing.utility.get()).collect::<Vec<_>>())
        .bind(standing(|standing| standing.reviews))
        .bind(standing(|standing| standing.passes))
        .bind(standings.keys().map(|memory| Some(credit(memory)?.value())).collect::<Vec<_>>())
        .bind(standings.keys().map(|memory| Some(credit(memory)?.evidence())).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The values of memories after everything that follows the given positions. Replaces the checkpoints after them.
async fn fold_after<S: StoredFold>(
    transaction: &mut ProjectTx,
    positions: &[(MemoryId, i64)],
    steps: &[PlacedStep],
    prepared: &BTreeMap<MemoryId, PreparedFold<S>>,
) -> Result<BTreeMap<MemoryId, S>, StoreError> {
    if positions.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut starts = checkpoints::before::<S>(transaction, positions).await?;
    checkpoints::remove_after::<S>(transaction, positions).await?;
    let mut made = Vec::new();
    for (memory, start) in &mut starts {
        if let Some(prepared) = prepared.get(memory) {
            *start = prepared.end;
            made.extend(prepared.made.iter().map(|checkpoint| (*memory, *checkpoint)));
        }
    }
    let tail = checkpoints::advance(transaction, starts, steps, None, i64::MAX).await?;
    made.extend(tail.made);
    checkpoints::insert(transaction, &made).await?;
    let ends = tail.ends.into_iter();
    Ok(ends.map(|(memory, end)| (memory, end.finished(&steps_of(steps, memory)))).collect())
}
