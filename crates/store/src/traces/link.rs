//! Which memories a run had. Found when the run is stored and kept with it: receipts are dropped earlier.

use std::time::Duration;

use reflect_types::{Arm, KeyId, Link, MemoryId, RetrievalId};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// The memories of a run, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// How it is known.
    pub by: Link,
    /// The memories. May hold doubles, strangers and ids of memories that never were.
    pub memories: Vec<MemoryId>,
    /// The receipt that the link goes through.
    pub retrieval: Option<RetrievalId>,
    /// On which side of a comparison the run is.
    pub arm: Option<Arm>,
}

impl Linked {
    /// Of a run that had no memories.
    pub const NONE: Self = Self { by: Link::None, memories: Vec::new(), retrieval: None, arm: None };
}

/// What a receipt says about the run that follows it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Served {
    /// The receipt.
    pub retrieval_id: RetrievalId,
    /// The key that asked.
    pub key_id: KeyId,
    /// What went out.
    pub memories: Vec<MemoryId>,
    /// Whether anything was found.
    pub found: bool,
    /// Whether this was less than the search it should have been.
    pub degraded: bool,
    /// Whether what was found was held back.
    pub held_out: bool,
    /// Whether that was decided by lot.
    pub by_lot: bool,
}

impl ProjectCtx {
    /// What went out under a receipt; none when there is no such receipt.
    pub async fn served(&self, receipt: RetrievalId) -> Result<Option<Served>, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/traces/served.sql"));
        let served = found.bind(self.project).bind(receipt).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(served)
    }

    /// What last went out to a key for a task, if that was not longer ago.
    pub async fn last_served(
        &self,
        task_digest: &[u8; 32],
        key: KeyId,
        within: Duration,
    ) -> Result<Option<Served>, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/traces/last_served.sql"))
            .bind(self.project)
            .bind(*task_digest)
            .bind(key)
            .bind(within.as_secs_f64());
        let served = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(served)
    }
}
