//! Deferred runs.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::TraceId;

use super::QueueStore;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// A deferral of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeferral {
    /// Until when.
    pub until: Deferral,
    /// Who defers it.
    pub by: String,
    /// Why.
    pub note: Option<String>,
    /// Maximum duration of a deferral.
    pub longest: Duration,
}

/// How long a run is deferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deferral {
    /// Until then, by the database's clock.
    Until(DateTime<Utc>),
    /// For a duration from now on.
    For(Duration),
}

impl QueueStore<'_> {
    /// Defers a run and returns until when. `None` if that is in the past or too far away.
    pub async fn defer(
        &self,
        trace: TraceId,
        deferral: &NewDeferral,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let (until, time) = match deferral.until {
            Deferral::Until(until) => (Some(until), None),
            Deferral::For(time) => (None, Some(time.as_secs_f64())),
        };
        let mut transaction = self.db.write().await?;
        if lock_state(&mut transaction, trace).await? {
            return Err(StoreError::Conflict { what: "the trace already has a review" });
        }
        let until = sqlx::query_scalar(include_str!("../../sql/review_queue/defer.sql"))
            .bind(self.db.project)
            .bind(trace)
            .bind(until)
            .bind(time)
            .bind(&deferral.by)
            .bind(&deferral.note)
            .bind(deferral.longest.as_secs_f64())
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(until)
    }

    /// Ends the deferral of a run.
    pub async fn resume(&self, trace: TraceId) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        lock_state(&mut transaction, trace).await?;
        let resumed = sqlx::query(include_str!("../../sql/review_queue/resume.sql"));
        resumed.bind(self.db.project).bind(trace).execute(&mut *transaction).await?;
        transaction.commit().await
    }
}

/// Locks the state of a run. Returns whether the run is reviewed.
async fn lock_state(transaction: &mut ProjectTx, trace: TraceId) -> Result<bool, StoreError> {
    let held = sqlx::query_scalar(include_str!("../../sql/review_queue/lock_state.sql"));
    let held: Option<bool> =
        held.bind(transaction.project).bind(trace).fetch_optional(&mut **transaction).await?;
    held.ok_or(StoreError::NotFound { what: "trace" })
}
