//! Indexing: vectors for memories that have none in a space.

use std::time::Duration;

use reflect_types::MemoryId;

use super::MemoryStore;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::jobs;

/// A memory without a vector in a space, and its texts, one of which is embedded.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnindexedMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its task.
    pub task: String,
    /// Its lesson.
    pub reflection: String,
}

/// One memory without a vector, or none, and how far the search for them has come.
#[derive(Debug, sqlx::FromRow)]
struct ExaminedRow {
    memory_id: Option<MemoryId>,
    task: Option<String>,
    reflection: Option<String>,
    last_examined: Option<MemoryId>,
    is_full: bool,
}

impl ExaminedRow {
    fn unindexed(self) -> Option<UnindexedMemory> {
        let (memory_id, task, reflection) = (self.memory_id?, self.task?, self.reflection?);
        Some(UnindexedMemory { memory_id, task, reflection })
    }
}

impl MemoryStore<'_> {
    /// Some memories after this one that have no vector in a space, in the order of their ids.
    pub async fn unindexed(
        &self,
        space: SpaceId,
        after: MemoryId,
    ) -> Result<Vec<UnindexedMemory>, StoreError> {
        let mut transaction = self.db.read().await?;
        let unplaced = unindexed_in(&mut transaction, space, after).await?;
        transaction.commit().await?;
        Ok(unplaced)
    }

    /// Queues indexing again, because the embedder is not available.
    pub async fn index_later(&self, delay: Duration) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        jobs::enqueue_indexing(&mut transaction, delay).await?;
        transaction.commit().await
    }

    /// Stores the vectors of memories, each with the text that was embedded. Returns how many were stored.
    pub async fn index(
        &self,
        space: SpaceId,
        memories: &[(MemoryId, String)],
        vectors: &[Vec<f32>],
    ) -> Result<u64, StoreError> {
        let mut transaction = self.db.write().await?;
        let placed = index_in(&mut transaction, space, memories, vectors).await?;
        transaction.commit().await?;
        Ok(placed)
    }
}

/// Examines the memories of a project in parts, until some without a vector are found. Each part is a short statement.
pub(crate) async fn unindexed_in(
    transaction: &mut ProjectTx,
    space: SpaceId,
    mut after: MemoryId,
) -> Result<Vec<UnindexedMemory>, StoreError> {
    loop {
        let rows: Vec<ExaminedRow> = sqlx::query_as(include_str!("../../sql/memories/unindexed.sql"))
            .bind(transaction.project)
            .bind(space)
            .bind(after)
            .fetch_all(&mut **transaction)
            .await?;
        let next = rows.first().filter(|row| row.is_full).and_then(|row| row.last_examined);
        let unindexed: Vec<UnindexedMemory> = rows.into_iter().filter_map(ExaminedRow::unindexed).collect();
        match next {
            Some(last) if unindexed.is_empty() => after = last,
            _ => return Ok(unindexed),
        }
    }
}

pub(crate) async fn index_in(
    transaction: &mut ProjectTx,
    space: SpaceId,
    memories: &[(MemoryId, String)],
    vectors: &[Vec<f32>],
) -> Result<u64, StoreError> {
    let (ids, texts): (Vec<MemoryId>, Vec<&str>) =
        memories.iter().map(|(id, text)| (*id, text.as_str())).unzip();
    let dimensions = vectors.first().map_or(0, Vec::len);
    // Locked in a separate statement first, because a concurrent transaction may edit or disable them.
    let held = sqlx::query(include_str!("../../sql/curation/lock.sql")).bind(transaction.project).bind(&ids);
    held.execute(&mut **transaction).await?;
    let placed: i64 = sqlx::query_scalar(include_str!("../../sql/memories/index_many.sql"))
        .bind(transaction.project)
        .bind(space)
        .bind(ids)
        .bind(texts)
        .bind(vectors.concat())
        .bind(i32::try_from(dimensions).unwrap_or(i32::MAX))
        .fetch_one(&mut **transaction)
        .await?;
    Ok(u64::try_from(placed).unwrap_or(0))
}
