//! How runs with and without memories went, counted.

use chrono::{DateTime, Utc};

use super::InsightStore;
use crate::error::StoreError;

/// Runs of one kind, and their reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct ArmCount {
    /// The arm: 1 with memories, 0 without. `None` if the run was not part of a comparison.
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

impl InsightStore<'_> {
    /// How runs went, apart by arm and by whether they had memories.
    pub async fn arm_counts(&self, since: Option<DateTime<Utc>>) -> Result<Vec<ArmCount>, StoreError> {
        let mut transaction = self.db.read().await?;
        let counts =
            sqlx::query_as(include_str!("../../sql/uplift/arms.sql")).bind(self.db.project).bind(since);
        let counts = counts.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(counts)
    }
}
