//! Retention of a project that is shorter than that of the installation.

use std::time::Duration;

use reflect_types::RetentionSettings;

use super::AdminStore;
use crate::error::StoreError;
use crate::tables;

/// Pause between two transactions, because removal must not slow down other work.
const PAUSE: Duration = Duration::from_millis(20);

impl AdminStore<'_> {
    /// Removes rows older than the project's retention, in batches. Can be interrupted and run again. Returns the
    /// number of rows.
    pub async fn apply_retention(&self, retention: &RetentionSettings) -> Result<u64, StoreError> {
        let mut removed = 0;
        for (days, statement) in tables::expired_statements(retention) {
            removed += self.remove_older(statement, i32::try_from(days).unwrap_or(i32::MAX)).await?;
        }
        Ok(removed)
    }

    async fn remove_older(&self, statement: &'static str, days: i32) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut transaction = self.db.write().await?;
            let done =
                sqlx::query(statement).bind(self.db.project).bind(days).execute(&mut *transaction).await?;
            transaction.commit().await?;
            if done.rows_affected() == 0 {
                return Ok(removed);
            }
            removed += done.rows_affected();
            tokio::time::sleep(PAUSE).await;
        }
    }
}
