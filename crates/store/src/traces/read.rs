//! Reading one run back.

use chrono::{DateTime, Utc};
use reflect_types::{
    Arm, IngestStatus, Link, MemoryId, RetrievalId, ReviewMode, ReviewResult, ReviewStatus, TraceId,
};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Row, Transaction};

use crate::body;
use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;
use crate::reviews::ReviewRow;

/// A stored run.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceRow {
    /// Its id.
    pub trace_id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages as a JSON array; an empty one when the body has expired.
    pub trajectory: String,
    /// The agent's answer.
    pub final_response: Option<String>,
    /// The model that ran.
    pub model: Option<String>,
    /// As sent.
    pub metadata: serde_json::Value,
    /// The memories that were shown to the agent, as sent.
    pub retrieved: Vec<String>,
    /// The receipt of the retrieval that served them, as sent.
    pub retrieval_id: Option<RetrievalId>,
    /// How it is known which memories the run had.
    pub link: Link,
    /// Those memories.
    pub linked: Vec<MemoryId>,
    /// Which of them it made use of, when the client said so.
    pub used: Option<Vec<MemoryId>>,
    /// On which side of a comparison it is.
    pub arm: Option<Arm>,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
    /// How far the processing has come.
    pub ingest: IngestStatus,
    /// Whether its review has become a memory.
    pub review_status: ReviewStatus,
    /// That memory.
    pub memory_id: Option<MemoryId>,
    /// How often processing was tried.
    pub attempts: i16,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// The live verdict.
    pub review: Option<ReviewRow>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    pub(crate) body: BodyFacts,
}

/// What is needed to read a body that is fetched apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyFacts {
    pub(crate) codec: i16,
    pub(crate) length: i32,
    pub(crate) digest: Vec<u8>,
}

impl FromRow<'_, PgRow> for BodyFacts {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            codec: row.try_get("body_codec")?,
            length: row.try_get("body_length")?,
            digest: row.try_get("body_digest")?,
        })
    }
}

impl FromRow<'_, PgRow> for TraceRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let reviewed: bool = row.try_get("reviewed")?;
        Ok(Self {
            trace_id: row.try_get("trace_id")?,
            task: row.try_get("task")?,
            trajectory: "[]".to_owned(),
            final_response: row.try_get("final_response")?,
            model: row.try_get("model")?,
            metadata: row.try_get("metadata")?,
            retrieved: row.try_get("retrieved")?,
            retrieval_id: row.try_get("retrieval_id")?,
            link: coded(Link::from_code(row.try_get("link")?))?,
            linked: row.try_get("linked")?,
            used: row.try_get("used")?,
            arm: row.try_get::<Option<i16>, _>("arm")?.and_then(Arm::from_code),
            reference_context: row.try_get("reference_context")?,
            ingest: coded(IngestStatus::from_code(row.try_get("ingest")?))?,
            review_status: if reviewed { ReviewStatus::Reviewed } else { ReviewStatus::Pending },
            memory_id: row.try_get("memory_id")?,
            attempts: row.try_get("attempts")?,
            last_error: row.try_get("last_error")?,
            review: review(row)?,
            created_at: row.try_get("created_at")?,
            body: BodyFacts::from_row(row)?,
        })
    }
}

fn review(row: &PgRow) -> Result<Option<ReviewRow>, sqlx::Error> {
    let Some(review_id) = row.try_get("review_id")? else { return Ok(None) };
    let passed: bool = row.try_get("passed")?;
    Ok(Some(ReviewRow {
        review_id,
        result: if passed { ReviewResult::Pass } else { ReviewResult::Fail },
        feedback: row.try_get("feedback")?,
        alpha: row.try_get("alpha")?,
        mode: coded(ReviewMode::from_code(row.try_get("mode")?))?,
        reviewer: row.try_get("reviewer")?,
        authored: row.try_get("authored")?,
        created_at: row.try_get("reviewed_at")?,
        learns_at: row.try_get("learns_at")?,
    }))
}

impl ProjectCtx {
    /// One run without its trajectory, which may be large.
    pub async fn trace_without_body(&self, id: TraceId) -> Result<TraceRow, StoreError> {
        let mut transaction = self.read().await?;
        let row = self.find_trace(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(row)
    }

    async fn find_trace(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        id: TraceId,
    ) -> Result<TraceRow, StoreError> {
        let row = sqlx::query_as(include_str!("../../sql/traces/find.sql")).bind(self.project).bind(id);
        row.fetch_optional(&mut **transaction).await?.ok_or(StoreError::NotFound { what: "trace" })
    }

    /// One run, whole.
    pub async fn trace(&self, id: TraceId) -> Result<TraceRow, StoreError> {
        let mut transaction = self.read().await?;
        let row = self.find_trace(&mut transaction, id).await?;
        let mut rows = [row];
        self.fill_bodies(&mut transaction, &mut rows).await?;
        transaction.commit().await?;
        let [row] = rows;
        Ok(row)
    }

    /// Whether a run is there and has nothing left to wait for.
    pub async fn trace_settled(&self, id: TraceId) -> Result<bool, StoreError> {
        let mut transaction = self.read().await?;
        let settled: Option<bool> = sqlx::query_scalar(include_str!("../../sql/traces/settled.sql"))
            .bind(self.project)
            .bind(id)
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(settled.unwrap_or(false))
    }

    /// Fetches and decodes the bodies of these rows. A row whose body has expired keeps its `[]`.
    pub(crate) async fn fill_bodies(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        rows: &mut [TraceRow],
    ) -> Result<(), StoreError> {
        let ids: Vec<TraceId> = rows.iter().map(|row| row.trace_id).collect();
        let bodies: Vec<(TraceId, Vec<u8>)> = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"))
            .bind(self.project)
            .bind(ids)
            .fetch_all(&mut **transaction)
            .await?;
        for (id, bytes) in bodies {
            let Some(row) = rows.iter_mut().find(|row| row.trace_id == id) else { continue };
            let BodyFacts { codec, length, digest } = &row.body;
            row.trajectory = body::decode(*codec, *length, digest, &bytes).map_err(|error| {
                tracing::error!(trace.id = %id, %error, "the body of trace {id} cannot be read");
                StoreError::Corrupt { what: "body" }
            })?;
        }
        Ok(())
    }
}
