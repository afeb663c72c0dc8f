//! Leases: who reviews a run at the moment, and until when.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::TraceId;
use sqlx::FromRow;

use super::QueueStore;
use crate::error::StoreError;

/// A leased run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Lease {
    /// The run.
    pub trace_id: TraceId,
    /// Until when it is leased, by the database's clock.
    pub leased_until: DateTime<Utc>,
}

impl QueueStore<'_> {
    /// Leases the first `most` of these runs that are free, in the given order. Returns fewer if other holders were
    /// faster. A lease of the same holder counts as free only with `renew`.
    pub async fn lease(
        &self,
        holder: &str,
        wanted: &[TraceId],
        most: usize,
        time: Duration,
        renew: bool,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.db.write().await?;
        let leases = sqlx::query_as(include_str!("../../sql/review_queue/lease.sql"))
            .bind(self.db.project)
            .bind(wanted)
            .bind(holder)
            .bind(time.as_secs_f64())
            .bind(i64::try_from(most).unwrap_or(i64::MAX))
            .bind(renew)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(leases)
    }

    /// Renews a holder's leases, takes free ones, and returns those of the holder.
    pub async fn renew(
        &self,
        holder: &str,
        traces: &[TraceId],
        time: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.db.write().await?;
        let leases = sqlx::query_as(include_str!("../../sql/review_queue/renew.sql"))
            .bind(self.db.project)
            .bind(traces)
            .bind(holder)
            .bind(time.as_secs_f64())
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(leases)
    }

    /// Releases a holder's leases.
    pub async fn release(&self, holder: &str, traces: &[TraceId]) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        sqlx::query(include_str!("../../sql/review_queue/release.sql"))
            .bind(self.db.project)
            .bind(traces)
            .bind(holder)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}
