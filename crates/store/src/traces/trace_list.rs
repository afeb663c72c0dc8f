//! Lists of runs: all runs or those that match a filter, newest first.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::TraceStore;
use super::read::{BodyFacts, TraceRow, fill_bodies, open_body, rows_of};
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;

/// How many runs one call reads. The caller continues from the cursor.
const LOOKED_AT: i64 = 5000;
/// Trajectories beyond this total are not read.
const MOST_BYTES: i64 = 16 * 1024 * 1024;

/// A filter on runs. An absent value is no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceListFilter {
    /// Whether they are reviewed.
    pub review_status: Option<ReviewStatus>,
    /// The state of processing.
    pub ingest: Option<IngestStatus>,
    /// The verdict.
    pub result: Option<ReviewResult>,
    /// The model; with a `*` at the end, its prefix.
    pub model: Option<String>,
    /// Words of the task or the answer.
    pub text: Option<String>,
    /// Not older than this.
    pub since: Option<DateTime<Utc>>,
    /// Older than this.
    pub until: Option<DateTime<Utc>>,
    /// Linked to this memory.
    pub memory: Option<MemoryId>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceListRow {
    /// Its id.
    pub trace_id: TraceId,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The beginning of the task.
    pub task: String,
    /// The model that ran.
    pub model: Option<String>,
    /// As sent.
    pub metadata: serde_json::Value,
    /// How many messages it has.
    pub messages: i32,
    /// The memories that it had.
    pub linked: Vec<MemoryId>,
    /// The state of processing.
    pub ingest: IngestStatus,
    /// Whether the run is reviewed.
    pub review_status: ReviewStatus,
    /// That memory.
    pub memory_id: Option<MemoryId>,
    /// The verdict.
    pub result: Option<ReviewResult>,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// The trajectory, unless it is not stored any more or the page is too large.
    pub trajectory: Option<String>,
    body: BodyFacts,
}

impl FromRow<'_, PgRow> for TraceListRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let reviewed: bool = row.try_get("reviewed")?;
        let passed: Option<bool> = row.try_get("passed")?;
        Ok(Self {
            trace_id: row.try_get("trace_id")?,
            created_at: row.try_get("created_at")?,
            task: row.try_get("task")?,
            model: row.try_get("model")?,
            metadata: row.try_get("metadata")?,
            messages: row.try_get("messages")?,
            linked: row.try_get("linked")?,
            ingest: coded(IngestStatus::from_code(row.try_get("ingest")?))?,
            review_status: if reviewed { ReviewStatus::Reviewed } else { ReviewStatus::Pending },
            memory_id: row.try_get("memory_id")?,
            result: passed.map(|passed| if passed { ReviewResult::Pass } else { ReviewResult::Fail }),
            reviewer: row.try_get("reviewer")?,
            trajectory: None,
            body: BodyFacts::from_row(row)?,
        })
    }
}

/// A page of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceListPage {
    /// Newest first.
    pub lines: Vec<TraceListRow>,
    /// The cursor of the next page, if there may be more.
    pub next: Option<TraceId>,
}

impl TraceStore<'_> {
    /// The newest matching runs before a cursor, at most `limit`, with their trajectories.
    pub async fn search(
        &self,
        filter: &TraceListFilter,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<TraceListPage, StoreError> {
        let before = before.map_or(Uuid::max(), TraceId::as_uuid);
        let before = filter.until.map_or(before, |until| before.min(smallest_at(until)));
        let since = filter.since.map_or(Uuid::nil(), smallest_at);
        let (exact, begins) = match filter.model.as_deref() {
            Some(model) => match model.strip_suffix('*') {
                Some(begins) => (None, Some(begins)),
                None => (Some(model), None),
            },
            None => (None, None),
        };
        let mut transaction = self.db.read().await?;
        let mut lines: Vec<TraceListRow> = sqlx::query_as(include_str!("../../sql/traces/search.sql"))
            .bind(self.db.project)
            .bind(before)
            .bind(since)
            .bind(LOOKED_AT)
            .bind(i64::from(limit) + 1)
            .bind(filter.review_status.map(|status| status == ReviewStatus::Reviewed))
            .bind(filter.ingest.map(IngestStatus::code))
            .bind(filter.result.map(|result| result == ReviewResult::Pass))
            .bind(exact)
            .bind(begins)
            .bind(filter.text.as_deref())
            .bind(filter.memory)
            .fetch_all(&mut *transaction)
            .await?;
        let next = if lines.len() > limit as usize {
            lines.truncate(limit as usize);
            lines.last().map(|line| line.trace_id)
        } else {
            // Fewer than requested: there are no more runs, or the read limit was reached.
            sqlx::query_scalar(include_str!("../../sql/traces/looked_at.sql"))
                .bind(self.db.project)
                .bind(before)
                .bind(since)
                .bind(LOOKED_AT)
                .fetch_optional(&mut *transaction)
                .await?
        };
        fill_rows(&mut transaction, &mut lines).await?;
        transaction.commit().await?;
        Ok(TraceListPage { lines, next })
    }
}

async fn fill_rows(transaction: &mut ProjectTx, lines: &mut [TraceListRow]) -> Result<(), StoreError> {
    let mut bytes = 0;
    let within = lines.iter().take_while(|line| {
        bytes += i64::from(line.body.length);
        bytes <= MOST_BYTES
    });
    let ids: Vec<TraceId> = within.map(|line| line.trace_id).collect();
    let bodies: Vec<(TraceId, Vec<u8>)> = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"))
        .bind(transaction.project)
        .bind(ids)
        .fetch_all(&mut **transaction)
        .await?;
    for (id, bytes) in bodies {
        let Some(line) = lines.iter_mut().find(|line| line.trace_id == id) else { continue };
        // A body that cannot be decoded must not fail the list; reading the run itself reports it.
        line.trajectory = open_body(&transaction.sealer, id, &line.body, &bytes).ok();
    }
    Ok(())
}

/// The smallest id of a timestamp, as computed by the database function `uuid_at`.
fn smallest_at(moment: DateTime<Utc>) -> Uuid {
    let ms = u128::try_from(moment.timestamp_millis()).unwrap_or_default();
    Uuid::from_u128(ms << 80)
}

/// Maximum decoded size of one page, because older clients load the whole page.
const PAGE_BYTES: i64 = 16 * 1024 * 1024;

/// A page of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePage {
    /// Newest first.
    pub traces: Vec<TraceRow>,
    /// The cursor of the next page, if there are more.
    pub next: Option<TraceId>,
}

impl TraceStore<'_> {
    /// The newest runs before a cursor, at most `limit` and at most 16 MB.
    pub async fn list(
        &self,
        status: Option<ReviewStatus>,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<TracePage, StoreError> {
        let before = before.map_or(Uuid::max(), TraceId::as_uuid);
        // One row more than requested shows whether there is a next page.
        let fetched = i64::from(limit) + 1;
        let mut transaction = self.db.read().await?;
        let ids = match status {
            None => sqlx::query_scalar(include_str!("../../sql/traces/list.sql"))
                .bind(self.db.project)
                .bind(before)
                .bind(fetched),
            Some(status) => sqlx::query_scalar(include_str!("../../sql/traces/list_by_status.sql"))
                .bind(self.db.project)
                .bind(before)
                .bind(fetched)
                .bind(status == ReviewStatus::Reviewed),
        };
        let ids: Vec<TraceId> = ids.fetch_all(&mut *transaction).await?;
        let mut traces = rows_of(&mut transaction, &ids).await?;
        let fits = page_length(&traces, limit as usize);
        let more = ids.len() > fits;
        traces.truncate(fits);
        fill_bodies(&mut transaction, &mut traces).await?;
        transaction.commit().await?;
        let next = traces.last().filter(|_| more).map(|row| row.trace_id);
        Ok(TracePage { traces, next })
    }
}

/// How many rows fit on this page: at least one, so paging always advances.
fn page_length(rows: &[TraceRow], limit: usize) -> usize {
    let mut bytes = 0;
    let within = rows.iter().take(limit).take_while(|row| {
        bytes += i64::from(row.body.length);
        bytes <= PAGE_BYTES
    });
    within.count().max(1).min(rows.len())
}
