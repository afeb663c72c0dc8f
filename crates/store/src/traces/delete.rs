//! Deleting runs.

use reflect_types::{CrashPoint, TraceId};

use super::TraceStore;
use crate::audit::{self, AuditActor};
use crate::error::StoreError;
use crate::idempotency::{self, Claim};

impl TraceStore<'_> {
    /// Removes runs and returns those that existed.
    pub async fn delete(
        &self,
        traces: &[TraceId],
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Vec<TraceId>, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(earlier).await;
        }
        let held = sqlx::query(include_str!("../../sql/traces/lock.sql")).bind(self.db.project).bind(traces);
        held.execute(&mut *transaction).await?;
        let gone: Vec<TraceId> = sqlx::query_scalar(include_str!("../../sql/traces/delete.sql"))
            .bind(self.db.project)
            .bind(traces)
            .fetch_all(&mut *transaction)
            .await?;
        for trace in &gone {
            audit::record(&mut transaction, actor, "trace.delete", &trace.to_string()).await?;
        }
        idempotency::save_answer(&mut transaction, claim, &gone).await?;
        transaction.commit_at(CrashPoint::TraceDelete).await?;
        Ok(gone)
    }
}
