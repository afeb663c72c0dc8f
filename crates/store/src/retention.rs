//! What a project keeps for a shorter time than the installation does.

use std::time::Duration;

use reflect_types::RetentionSettings;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// Between two transactions, so that what removes old rows is in nobody's way.
const PAUSE: Duration = Duration::from_millis(20);

impl ProjectCtx {
    /// Removes what is older than the project keeps it, some rows at a time. Can be stopped anywhere and run
    /// again. Says how many rows it was about.
    pub async fn retain(&self, retention: &RetentionSettings) -> Result<u64, StoreError> {
        let limits = [
            (retention.traces_days, include_str!("../sql/retention/traces.sql")),
            (retention.bodies_days, include_str!("../sql/retention/bodies.sql")),
            (retention.retrievals_days, include_str!("../sql/retention/retrievals.sql")),
        ];
        let mut removed = 0;
        for (days, statement) in limits {
            let Some(days) = days else { continue };
            removed += self.repeat_older(statement, i32::try_from(days).unwrap_or(i32::MAX)).await?;
        }
        Ok(removed)
    }

    async fn repeat_older(&self, statement: &'static str, days: i32) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut transaction = self.write().await?;
            let done =
                sqlx::query(statement).bind(self.project).bind(days).execute(&mut *transaction).await?;
            transaction.commit().await?;
            if done.rows_affected() == 0 {
                return Ok(removed);
            }
            removed += done.rows_affected();
            tokio::time::sleep(PAUSE).await;
        }
    }
}
