//! Erasure of one run or one subject.
//!
//! A request is a row and a job. The job removes batches of runs with their memories and reviews, one transaction
//! each, until none is left. After an interruption, the remaining rows are the remaining work.

mod remove;

use chrono::{DateTime, Utc};
use reflect_types::{CrashPoint, TraceId};
use serde_json::Value;

use crate::audit::{self, AuditActor};
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::ids::ErasureId;
use crate::jobs;
pub use remove::Erased;

/// Removal of runs and subjects.
#[derive(Debug, Clone, Copy)]
pub struct ErasureStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// What is to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErasureTarget {
    /// One run.
    Trace(TraceId),
    /// All runs whose metadata names this subject.
    Subject(String),
}

/// A request for an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewErasure {
    /// Its id.
    pub erasure_id: ErasureId,
    /// What is to be removed.
    pub target: ErasureTarget,
    /// Whether memories learned from the runs stay.
    pub keep_memories: bool,
}

/// The progress of an erasure.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct ErasureRow {
    /// Its id.
    pub erasure_id: ErasureId,
    /// 0 waiting, 1 running, 2 done.
    pub state: i16,
    /// Whether memories stay.
    pub keep_memories: bool,
    /// How many runs were removed.
    pub traces: i32,
    /// How many rows were removed, by table.
    pub removed: Value,
    /// When it was requested.
    pub created_at: DateTime<Utc>,
    /// When it was done.
    pub finished_at: Option<DateTime<Utc>>,
}

impl ErasureStore<'_> {
    /// Stores a request together with its job. A repeated call returns the id of the first.
    pub async fn request(
        &self,
        erasure: &NewErasure,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<ErasureId, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, Some(&erasure.erasure_id)).await? {
            return transaction.repeat(earlier).await;
        }
        let (trace, subject) = match &erasure.target {
            ErasureTarget::Trace(trace) => (Some(*trace), None),
            ErasureTarget::Subject(subject) => (None, Some(subject)),
        };
        sqlx::query(include_str!("../../sql/erasures/insert.sql"))
            .bind(self.db.project)
            .bind(erasure.erasure_id)
            .bind(trace)
            .bind(subject)
            .bind(erasure.keep_memories)
            .bind(&actor.name)
            .execute(&mut *transaction)
            .await?;
        jobs::enqueue_erasure(&mut transaction, erasure.erasure_id).await?;
        audit::record(&mut transaction, actor, "erasure.request", &erasure.erasure_id.to_string()).await?;
        transaction.commit_at(CrashPoint::ErasureRequest).await?;
        Ok(erasure.erasure_id)
    }

    /// The progress of an erasure.
    pub async fn get(&self, id: ErasureId) -> Result<ErasureRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let found =
            sqlx::query_as(include_str!("../../sql/erasures/find.sql")).bind(self.db.project).bind(id);
        let found: Option<ErasureRow> = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "erasure" })
    }
}

/// Queues erasures without a job. Returns how many.
pub(crate) async fn requeue(db: &ProjectDb) -> Result<u64, StoreError> {
    let mut transaction = db.write().await?;
    let orphans = sqlx::query_scalar(include_str!("../../sql/erasures/orphans.sql")).bind(db.project);
    let orphans: Vec<ErasureId> = orphans.fetch_all(&mut *transaction).await?;
    for erasure in &orphans {
        jobs::enqueue_erasure(&mut transaction, *erasure).await?;
    }
    transaction.commit().await?;
    Ok(orphans.len() as u64)
}
