//! Reading runs.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use reflect_types::{
    Arm, IngestStatus, Link, MemoryId, RetrievalId, ReviewMode, ReviewResult, ReviewStatus, TraceId,
};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row};

use super::TraceStore;
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;
use crate::reviews::ReviewRow;
use crate::sealing::{SealError, SealedColumn, Sealer};

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
    /// How the run was linked to memories.
    pub link: Link,
    /// The linked memories.
    pub linked: Vec<MemoryId>,
    /// Which of them it used, if the client reported that.
    pub used: Option<Vec<MemoryId>>,
    /// The arm of the comparison.
    pub arm: Option<Arm>,
    /// Reference text that the run was checked against.
    pub reference_context: Option<String>,
    /// The keys by which signals find the run.
    pub keys: BTreeMap<String, String>,
    /// The state of processing.
    pub ingest: IngestStatus,
    /// Whether its review has become a memory.
    pub review_status: ReviewStatus,
    /// That memory.
    pub memory_id: Option<MemoryId>,
    /// How often processing was tried.
    pub attempts: i16,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// The live review.
    pub review: Option<ReviewRow>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    pub(crate) body: BodyFacts,
}

/// What is needed to decode a body that is read separately.
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
            keys: row.try_get::<Option<Json<_>>, _>("keys")?.map(|Json(keys)| keys).unwrap_or_default(),
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

/// A body as it is stored: in its row, or elsewhere.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct StoredBody {
    pub(crate) trace_id: TraceId,
    body: Option<Vec<u8>>,
    body_locator: Option<String>,
}

impl StoredBody {
    /// The body in the row of a run. `None` if it was dropped.
    pub(crate) fn of_run(trace_id: TraceId, row: &PgRow) -> Result<Option<Self>, sqlx::Error> {
        let stored =
            Self { trace_id, body: row.try_get("body")?, body_locator: row.try_get("body_locator")? };
        Ok((stored.body.is_some() || stored.body_locator.is_some()).then_some(stored))
    }

    /// The bytes in the row. No other place is known yet.
    fn inline(&self) -> Result<&[u8], BodyError> {
        match (&self.body, &self.body_locator) {
            (Some(body), None) => Ok(body),
            (_, Some(locator)) => Err(BodyError::UnknownPlace(locator.clone())),
            (None, None) => Err(BodyError::Unreadable),
        }
    }
}

/// A stored body that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Stored by a newer binary, or damaged.
    #[error("the body has the unknown codec {0}")]
    UnknownCodec(i16),
    /// Stored by a newer binary.
    #[error("the body is stored in the unknown place {0}")]
    UnknownPlace(String),
    /// Damaged.
    #[error("the body cannot be decompressed")]
    Unreadable,
    /// Damaged.
    #[error("the body's digest does not match")]
    WrongDigest,
    /// It cannot be decrypted.
    #[error(transparent)]
    Sealed(#[from] SealError),
}

/// The text of a stored body.
pub(crate) fn open_body(
    sealer: &Sealer,
    facts: &BodyFacts,
    stored: &StoredBody,
) -> Result<String, BodyError> {
    let place = SealedColumn::TraceBody.of(stored.trace_id.as_uuid());
    let bytes = sealer.open_bytes(place, stored.inline()?)?;
    decode(facts.codec, facts.length, &facts.digest, &bytes)
}

pub(super) fn decode(codec: i16, length: i32, digest: &[u8], bytes: &[u8]) -> Result<String, BodyError> {
    let plain = match codec {
        0 => bytes.to_vec(),
        1 => {
            let length = usize::try_from(length).map_err(|_| BodyError::Unreadable)?;
            zstd::bulk::decompress(bytes, length).map_err(|_| BodyError::Unreadable)?
        }
        other => return Err(BodyError::UnknownCodec(other)),
    };
    if blake3::hash(&plain).as_bytes() != digest {
        return Err(BodyError::WrongDigest);
    }
    String::from_utf8(plain).map_err(|_| BodyError::Unreadable)
}

impl TraceStore<'_> {
    /// One run without its trajectory, which may be large.
    pub async fn get_without_body(&self, id: TraceId) -> Result<TraceRow, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let row = find_trace(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// One run with its trajectory.
    pub async fn get(&self, id: TraceId) -> Result<TraceRow, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let row = find_trace(&mut transaction, id).await?;
        let mut rows = [row];
        fill_bodies(&mut transaction, &mut rows).await?;
        transaction.commit().await?;
        let [row] = rows;
        Ok(row)
    }

    /// Runs in the given order. Missing runs are skipped. Only those in `read` have their trajectories.
    pub async fn get_many(&self, ids: &[TraceId], read: &[TraceId]) -> Result<Vec<TraceRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = rows_of(&mut transaction, ids).await?;
        let (mut rows, unread): (Vec<TraceRow>, Vec<TraceRow>) =
            rows.into_iter().partition(|row| read.contains(&row.trace_id));
        fill_bodies(&mut transaction, &mut rows).await?;
        transaction.commit().await?;
        rows.extend(unread);
        sort_as(ids, &mut rows);
        Ok(rows)
    }

    /// Whether a run exists and its processing has ended.
    pub async fn is_complete(&self, id: TraceId) -> Result<bool, StoreError> {
        let mut transaction = self.db.look_up().await?;
        let settled: Option<bool> = sqlx::query_scalar(include_str!("../../sql/traces/is_complete.sql"))
            .bind(self.db.project)
            .bind(id)
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(settled.unwrap_or(false))
    }
}

async fn find_trace(transaction: &mut ProjectTx, id: TraceId) -> Result<TraceRow, StoreError> {
    rows_of(transaction, &[id]).await?.pop().ok_or(StoreError::NotFound { what: "trace" })
}

/// The rows of these runs, in the given order and without bodies. Missing runs are skipped.
pub(super) async fn rows_of(
    transaction: &mut ProjectTx,
    ids: &[TraceId],
) -> Result<Vec<TraceRow>, StoreError> {
    let (smallest, largest) = id_bounds(ids);
    let mut rows: Vec<TraceRow> = sqlx::query_as(include_str!("../../sql/traces/rows.sql"))
        .bind(transaction.project)
        .bind(ids)
        .bind(smallest)
        .bind(largest)
        .fetch_all(&mut **transaction)
        .await?;
    for review in rows.iter_mut().filter_map(|row| row.review.as_mut()) {
        let place = SealedColumn::ReviewFeedback.of(review.review_id.as_uuid());
        transaction.sealer.open_field(place, &mut review.feedback)?;
    }
    sort_as(ids, &mut rows);
    Ok(rows)
}

fn sort_as(ids: &[TraceId], rows: &mut [TraceRow]) {
    let places: HashMap<TraceId, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    rows.sort_by_key(|row| places.get(&row.trace_id).copied());
}

/// Reads and decodes the bodies of these rows. A row without a stored body keeps `[]`.
pub(crate) async fn fill_bodies(
    transaction: &mut ProjectTx,
    rows: &mut [TraceRow],
) -> Result<(), StoreError> {
    let ids: Vec<TraceId> = rows.iter().map(|row| row.trace_id).collect();
    for stored in stored_bodies(transaction, &ids).await? {
        let id = stored.trace_id;
        let Some(row) = rows.iter_mut().find(|row| row.trace_id == id) else { continue };
        row.trajectory = open_body(&transaction.sealer, &row.body, &stored).map_err(|error| {
            tracing::error!(trace.id = %id, %error, "the body of trace {id} cannot be read");
            StoreError::Corrupt { what: "body" }
        })?;
    }
    Ok(())
}

/// The stored bodies of these runs. Dropped bodies are missing.
pub(super) async fn stored_bodies(
    transaction: &mut ProjectTx,
    ids: &[TraceId],
) -> Result<Vec<StoredBody>, StoreError> {
    let (smallest, largest) = id_bounds(ids);
    let bodies = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"))
        .bind(transaction.project)
        .bind(ids)
        .bind(smallest)
        .bind(largest);
    Ok(bodies.fetch_all(&mut **transaction).await?)
}

/// The smallest and the largest id. `None` without ids, which no row matches.
fn id_bounds(ids: &[TraceId]) -> (Option<TraceId>, Option<TraceId>) {
    (ids.iter().min().copied(), ids.iter().max().copied())
}
