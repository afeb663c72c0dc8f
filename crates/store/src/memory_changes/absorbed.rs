//! Runs that a memory absorbed: who absorbed them, how many they are, and what they created.

use std::collections::BTreeMap;

use reflect_types::MemoryId;

use crate::db::ProjectTx;
use crate::error::StoreError;

/// The memories that these are merged into, once for each of these.
pub(crate) async fn absorbers(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let absorbers = sqlx::query_scalar(include_str!("../../sql/lessons/absorbers.sql"));
    Ok(absorbers.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

/// Counts situations that were merged into memories before a change, and those that are now, as [`absorbers`] returns them.
/// The caller holds the locks of the memories.
pub(crate) async fn count_absorbed(
    transaction: &mut ProjectTx,
    before: &[MemoryId],
    now: &[MemoryId],
) -> Result<(), StoreError> {
    let (memories, added): (Vec<MemoryId>, Vec<i32>) = added(before, now).into_iter().unzip();
    if memories.is_empty() {
        return Ok(());
    }
    let counted = sqlx::query(include_str!("../../sql/lessons/count_absorbed.sql"));
    counted.bind(transaction.project).bind(memories).bind(added).execute(&mut **transaction).await?;
    Ok(())
}

/// How the number of each memory changes.
fn added(before: &[MemoryId], now: &[MemoryId]) -> BTreeMap<MemoryId, i32> {
    let mut added: BTreeMap<MemoryId, i32> = BTreeMap::new();
    for (memories, one) in [(before, -1), (now, 1)] {
        for memory in memories {
            *added.entry(*memory).or_default() += one;
        }
    }
    added.retain(|_, added| *added != 0);
    added
}

/// Marks absorptions by memories that are retired or erased, and supersessions by reviews that ended, as undone.
pub(crate) async fn end_stale(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    let ended = sqlx::query(include_str!("../../sql/lessons/end_stale.sql"));
    ended.bind(transaction.project).bind(memories).execute(&mut **transaction).await?;
    Ok(())
}

/// Points runs to what they created: the situation of the run, or the one that absorbed it.
pub(crate) async fn restate_created(
    transaction: &mut ProjectTx,
    created: &[(MemoryId, MemoryId)],
) -> Result<(), StoreError> {
    if created.is_empty() {
        return Ok(());
    }
    let (memories, created): (Vec<MemoryId>, Vec<MemoryId>) = created.iter().copied().unzip();
    let restated = sqlx::query(include_str!("../../sql/lessons/restate_created.sql"));
    restated.bind(transaction.project).bind(memories).bind(created).execute(&mut **transaction).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_changes_by_what_came_and_what_went() {
        let [stays, grows, shrinks] = [(); 3].map(|()| MemoryId::generate());
        let added = added(&[stays, shrinks, shrinks, grows], &[grows, grows, stays, grows]);
        assert_eq!(added, BTreeMap::from([(grows, 2), (shrinks, -2)]));
    }
}
