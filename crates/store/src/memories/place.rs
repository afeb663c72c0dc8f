//! Placing memories in a space after they were made.

use reflect_types::MemoryId;
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::spaces::SpaceId;

/// A memory that has no vector in a space, and the texts of which one is embedded.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Unplaced {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its task.
    pub task: String,
    /// Its lesson.
    pub reflection: String,
}

impl ProjectCtx {
    /// Some memories after this one that have no vector in a space, in the order of their ids.
    pub async fn unplaced(&self, space: SpaceId, after: MemoryId) -> Result<Vec<Unplaced>, StoreError> {
        let mut transaction = self.read().await?;
        let unplaced = self.unplaced_in(&mut transaction, space, after).await?;
        transaction.commit().await?;
        Ok(unplaced)
    }

    pub(crate) async fn unplaced_in(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        space: SpaceId,
        after: MemoryId,
    ) -> Result<Vec<Unplaced>, StoreError> {
        let unplaced = sqlx::query_as(include_str!("../../sql/memories/unplaced.sql"));
        Ok(unplaced.bind(self.project).bind(space).bind(after).fetch_all(&mut **transaction).await?)
    }

    /// Places memories in a space, each with the text that its vector is of. Says how many were placed.
    pub async fn place(
        &self,
        space: SpaceId,
        memories: &[(MemoryId, String)],
        vectors: &[Vec<f32>],
    ) -> Result<u64, StoreError> {
        let mut transaction = self.write().await?;
        let placed = self.place_in(&mut transaction, space, memories, vectors).await?;
        self.commit(transaction).await?;
        Ok(placed)
    }

    pub(crate) async fn place_in(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        space: SpaceId,
        memories: &[(MemoryId, String)],
        vectors: &[Vec<f32>],
    ) -> Result<u64, StoreError> {
        let (ids, texts): (Vec<MemoryId>, Vec<&str>) =
            memories.iter().map(|(id, text)| (*id, text.as_str())).unzip();
        let dimensions = vectors.first().map_or(0, Vec::len);
        // Held first, in a statement of its own: somebody may be editing or disabling them.
        let held = sqlx::query(include_str!("../../sql/care/lock.sql")).bind(self.project).bind(&ids);
        held.execute(&mut **transaction).await?;
        let placed: i64 = sqlx::query_scalar(include_str!("../../sql/memories/place_many.sql"))
            .bind(self.project)
            .bind(space)
            .bind(ids)
            .bind(texts)
            .bind(vectors.concat())
            .bind(i32::try_from(dimensions).unwrap_or(i32::MAX))
            .fetch_one(&mut **transaction)
            .await?;
        Ok(u64::try_from(placed).unwrap_or(0))
    }
}
