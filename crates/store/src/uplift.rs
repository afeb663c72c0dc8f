//! How runs with and without memories went, counted.

use chrono::{DateTime, Utc};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// Runs of one kind, and what was said of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct ArmCount {
    /// What was decided by lot: 1 with memories, 0 without; none where nothing was decided.
    pub arm: Option<i16>,
    /// Whether they had memories.
    pub linked: bool,
    /// How many they are.
    pub runs: i64,
    /// Those of them that have a live review.
    pub reviewed: i64,
    /// Those of them that passed.
    pub passed: i64,
}

impl ProjectCtx {
    /// How runs went, apart by arm and by whether they had memories.
    pub async fn arm_counts(&self, since: Option<DateTime<Utc>>) -> Result<Vec<ArmCount>, StoreError> {
        let mut transaction = self.read().await?;
        let counts = sqlx::query_as(include_str!("../sql/uplift/arms.sql")).bind(self.project).bind(since);
        let counts = counts.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(counts)
    }
}
