//! The removal of what is known about one run or one subject.
//!
//! A request is a row and a job. The job removes some runs with all that came of them in one transaction, and then
//! the next, until none is found. Whatever is killed in between, the rows that are left say what is left to do.

mod remove;

use chrono::{DateTime, Utc};
use reflect_types::TraceId;
use serde_json::Value;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::idempotency::Claim;
use crate::project_ctx::ProjectCtx;
pub use remove::Erased;

/// The id of an erasure, in the order of time.
pub type ErasureId = Uuid;

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
    /// Whether memories that came of it stay.
    pub keep_memories: bool,
}

/// How far an erasure has come.
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
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When it was done.
    pub finished_at: Option<DateTime<Utc>>,
}

impl ProjectCtx {
    /// Stores a request together with its job. The same call again is answered with the first one's id.
    pub async fn request_erasure(
        &self,
        erasure: &NewErasure,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<ErasureId, StoreError> {
        let mut transaction = self.write().await?;
        if let Some(earlier) = self.claim(&mut transaction, claim, Some(&erasure.erasure_id)).await? {
            return Ok(earlier);
        }
        let (trace, subject) = match &erasure.target {
            ErasureTarget::Trace(trace) => (Some(*trace), None),
            ErasureTarget::Subject(subject) => (None, Some(subject)),
        };
        sqlx::query(include_str!("../../sql/erasures/insert.sql"))
            .bind(self.project)
            .bind(erasure.erasure_id)
            .bind(trace)
            .bind(subject)
            .bind(erasure.keep_memories)
            .bind(&actor.name)
            .execute(&mut *transaction)
            .await?;
        self.enqueue_erasure(&mut transaction, erasure.erasure_id).await?;
        self.note(&mut transaction, actor, "erasure.request", &erasure.erasure_id.to_string()).await?;
        self.commit(transaction).await?;
        Ok(erasure.erasure_id)
    }

    /// How far an erasure has come.
    pub async fn erasure(&self, id: ErasureId) -> Result<ErasureRow, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/erasures/find.sql")).bind(self.project).bind(id);
        let found: Option<ErasureRow> = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "erasure" })
    }

    async fn enqueue_erasure(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        erasure: ErasureId,
    ) -> Result<(), StoreError> {
        let queued = sqlx::query(include_str!("../../sql/jobs/enqueue_erasure.sql"));
        queued.bind(self.project).bind(erasure).execute(&mut **transaction).await?;
        Ok(())
    }

    /// Queues erasures whose job is gone. Says how many that were.
    pub(crate) async fn requeue_erasures(&self) -> Result<u64, StoreError> {
        let mut transaction = self.write().await?;
        let orphans = sqlx::query_scalar(include_str!("../../sql/erasures/orphans.sql")).bind(self.project);
        let orphans: Vec<ErasureId> = orphans.fetch_all(&mut *transaction).await?;
        for erasure in &orphans {
            self.enqueue_erasure(&mut transaction, *erasure).await?;
        }
        transaction.commit().await?;
        Ok(orphans.len() as u64)
    }
}
