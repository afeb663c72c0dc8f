//! Runs that were put off.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::TraceId;
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// Puts a run off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeferral {
    /// Until then.
    pub until: Deferral,
    /// Who does so.
    pub by: String,
    /// And why.
    pub note: Option<String>,
    /// How far away that may be.
    pub longest: Duration,
}

/// How long a run is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deferral {
    /// Until then, by the database's clock.
    Until(DateTime<Utc>),
    /// For so long from now on.
    For(Duration),
}

impl ProjectCtx {
    /// Puts a run off and says until when; none when that is over already or too far away.
    pub async fn defer_run(
        &self,
        trace: TraceId,
        deferral: &NewDeferral,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let (until, time) = match deferral.until {
            Deferral::Until(until) => (Some(until), None),
            Deferral::For(time) => (None, Some(time.as_secs_f64())),
        };
        let mut transaction = self.write().await?;
        if self.hold_state(&mut transaction, trace).await? {
            return Err(StoreError::Conflict { what: "the trace has its verdict already" });
        }
        let until = sqlx::query_scalar(include_str!("../../sql/review_queue/defer.sql"))
            .bind(self.project)
            .bind(trace)
            .bind(until)
            .bind(time)
            .bind(&deferral.by)
            .bind(&deferral.note)
            .bind(deferral.longest.as_secs_f64())
            .fetch_optional(&mut *transaction)
            .await?;
        self.commit(transaction).await?;
        Ok(until)
    }

    /// Lets a run that was put off wait again.
    pub async fn resume_run(&self, trace: TraceId) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        self.hold_state(&mut transaction, trace).await?;
        let resumed = sqlx::query(include_str!("../../sql/review_queue/resume.sql"));
        resumed.bind(self.project).bind(trace).execute(&mut *transaction).await?;
        self.commit(transaction).await
    }

    /// Whether a run has its verdict.
    async fn hold_state(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        trace: TraceId,
    ) -> Result<bool, StoreError> {
        let held = sqlx::query_scalar(include_str!("../../sql/review_queue/hold.sql"));
        let held: Option<bool> =
            held.bind(self.project).bind(trace).fetch_optional(&mut **transaction).await?;
        held.ok_or(StoreError::NotFound { what: "trace" })
    }
}
