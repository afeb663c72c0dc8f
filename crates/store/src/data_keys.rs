//! The data keys of projects: created at the first use, stored wrapped, and kept in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

use reflect_types::ProjectId;
use sqlx::PgConnection;

use crate::error::StoreError;
use crate::requirements::Requirement;
use crate::sealing::{EncryptionKeys, Sealer, WrappedKey, random_key};
use crate::transaction::TransactionPool;

/// The data keys of this process.
pub(crate) struct DataKeys {
    pub(crate) keys: EncryptionKeys,
    sealers: RwLock<HashMap<ProjectId, Sealer>>,
}

/// Without the data keys.
impl fmt::Debug for DataKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataKeys").field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl DataKeys {
    pub(crate) fn new(keys: EncryptionKeys) -> Self {
        Self { keys, sealers: RwLock::default() }
    }

    /// The sealer of a project. A new data key is committed before it is used, so no value depends on a key that is
    /// rolled back.
    pub(crate) async fn sealer(
        &self,
        pool: &TransactionPool,
        project: ProjectId,
    ) -> Result<Sealer, StoreError> {
        if project == ProjectId::INSTALLATION {
            return Ok(Sealer::off(project));
        }
        if let Some(sealer) = self.known(project) {
            return Ok(sealer);
        }
        let stored = match find(pool, project).await? {
            Some(stored) => stored,
            None => self.create(pool, project).await?,
        };
        let sealer = Sealer::new(project, &self.keys.unwrap_key(project, &stored)?)?;
        let mut sealers = self.sealers.write().unwrap_or_else(PoisonError::into_inner);
        sealers.insert(project, sealer.clone());
        Ok(sealer)
    }

    fn known(&self, project: ProjectId) -> Option<Sealer> {
        self.sealers.read().unwrap_or_else(PoisonError::into_inner).get(&project).cloned()
    }

    /// Returns the key of another process if that was faster.
    async fn create(&self, pool: &TransactionPool, project: ProjectId) -> Result<WrappedKey, StoreError> {
        let WrappedKey { key_id, wrapped } = self.keys.wrap_key(project, &random_key()?)?;
        let created = sqlx::query(include_str!("../sql/encryption/create_data_key.sql"));
        created.bind(project).bind(key_id).bind(wrapped).execute(pool).await?;
        find(pool, project).await?.ok_or(StoreError::NotFound { what: "project" })
    }
}

async fn find(pool: &TransactionPool, project: ProjectId) -> Result<Option<WrappedKey>, StoreError> {
    let found = sqlx::query_as(include_str!("../sql/encryption/find_data_key.sql"));
    Ok(found.bind(project).fetch_optional(pool).await?)
}

/// Refuses to work if a project is encrypted with a key that is not configured.
pub(crate) async fn check_keys(
    connection: &mut PgConnection,
    keys: Option<&EncryptionKeys>,
) -> Result<(), StoreError> {
    let used: Vec<(String, i64)> =
        sqlx::query_as(include_str!("../sql/maintenance/wrapping_keys.sql")).fetch_all(connection).await?;
    let known = keys.map(EncryptionKeys::ids).unwrap_or_default();
    match used.into_iter().find(|(key_id, _)| !known.contains(&key_id.as_str())) {
        Some((key_id, projects)) => Err(Requirement::EncryptionKey { key_id, projects }.into()),
        None => Ok(()),
    }
}
