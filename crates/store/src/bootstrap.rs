//! The first key of an installation.

use reflect_types::{ProjectId, ProjectSlug};

use crate::audit::Actor;
use crate::error::StoreError;
use crate::keys::{KeyRow, NewKey};
use crate::store::Store;

/// The first project and its master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInstallation {
    /// The first project.
    pub project: ProjectSlug,
    /// The first key, which works everywhere.
    pub key: NewKey,
}

impl Store {
    /// Spends the bootstrap: project and master key, once.
    pub async fn bootstrap(&self, new: &NewInstallation, actor: &Actor) -> Result<KeyRow, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let spent: Option<bool> = sqlx::query_scalar(include_str!("../sql/catalogue/use_bootstrap.sql"))
            .bind(new.key.key_id)
            .fetch_optional(&mut *transaction)
            .await?;
        if spent.is_none() {
            return Err(StoreError::Conflict { what: "this installation has its first key already" });
        }
        let _: Option<ProjectId> = sqlx::query_scalar(include_str!("../sql/catalogue/create_project.sql"))
            .bind(new.project.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        let row = installation.insert_key(&mut transaction, &new.key, actor).await?;
        installation.note(&mut transaction, actor, "bootstrap", new.project.as_str()).await?;
        installation.commit(transaction).await?;
        Ok(row)
    }
}
