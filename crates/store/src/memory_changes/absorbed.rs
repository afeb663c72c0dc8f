//! Runs that a memory absorbed: who absorbed them, how many they are, and what they created.

use reflect_types::MemoryId;

use crate::db::ProjectTx;
use crate::error::StoreError;

/// The memories that these are merged into.
pub(crate) async fn absorbers(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let absorbers = sqlx::query_scalar(include_str!("../../sql/lessons/absorbers.sql"));
    Ok(absorbers.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

/// Counts how many situations are merged into each of these memories.
pub(crate) async fn count_absorbed(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<(), StoreError> {
    if memories.is_empty() {
        return Ok(());
    }
    let counted = sqlx::query(include_str!("../../sql/lessons/count_absorbed.sql"));
    counted.bind(transaction.project).bind(memories).execute(&mut **transaction).await?;
    Ok(())
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
