//! Embedding spaces of a project, and migrations between them.

mod migration;

use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::graphs::{self, VectorGraph};
use crate::ids::SpaceId;
pub use migration::EmbeddingMigration;

/// The embedding spaces of a project.
#[derive(Debug, Clone, Copy)]
pub struct SpaceStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl SpaceStore<'_> {
    /// The graphs of the project's vectors. Empty: every search is exact.
    pub async fn graphs(&self) -> Result<Vec<VectorGraph>, StoreError> {
        let mut transaction = self.db.read().await?;
        let graphs = graphs::of_project(&mut transaction).await?;
        transaction.commit().await?;
        Ok(graphs)
    }

    /// Adds a space in which the project's memories are indexed.
    pub async fn adopt(&self, space: SpaceId) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let adopted =
            sqlx::query(include_str!("../../sql/projects/adopt_space.sql")).bind(self.db.project).bind(space);
        adopted.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }
}
