//! Leases: who is looking at a run, and until when.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::TraceId;
use sqlx::{FromRow, Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// A run that somebody is looking at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Lease {
    /// The run.
    pub trace_id: TraceId,
    /// Until then, by the database's clock, nobody else is given it.
    pub leased_until: DateTime<Utc>,
}

impl ProjectCtx {
    /// Leases the first `most` of these runs that are still free, in the order given. Fewer come back when others
    /// were faster. A lease of the holder's own is free only when it is to be renewed.
    pub async fn lease_runs(
        &self,
        holder: &str,
        wanted: &[TraceId],
        most: usize,
        time: Duration,
        renew: bool,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.write().await?;
        let leases = sqlx::query_as(include_str!("../../sql/review_queue/lease.sql"))
            .bind(self.project)
            .bind(wanted)
            .bind(holder)
            .bind(time.as_secs_f64())
            .bind(i64::try_from(most).unwrap_or(i64::MAX))
            .bind(renew)
            .fetch_all(&mut *transaction)
            .await?;
        self.commit(transaction).await?;
        Ok(leases)
    }

    /// Prolongs a holder's leases, takes those that nobody has, and says which of them are theirs.
    pub async fn renew_leases(
        &self,
        holder: &str,
        traces: &[TraceId],
        time: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.write().await?;
        let leases = sqlx::query_as(include_str!("../../sql/review_queue/renew.sql"))
            .bind(self.project)
            .bind(traces)
            .bind(holder)
            .bind(time.as_secs_f64())
            .fetch_all(&mut *transaction)
            .await?;
        self.commit(transaction).await?;
        Ok(leases)
    }

    /// Gives a holder's leases back.
    pub async fn release_leases(&self, holder: &str, traces: &[TraceId]) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../../sql/review_queue/release.sql"))
            .bind(self.project)
            .bind(traces)
            .bind(holder)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }

    /// These runs wait for no reviewer any more.
    pub(crate) async fn leave_queue(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        traces: &[TraceId],
    ) -> Result<(), StoreError> {
        let left = sqlx::query(include_str!("../../sql/review_queue/leave.sql"));
        left.bind(self.project).bind(traces).execute(&mut **transaction).await?;
        Ok(())
    }
}
