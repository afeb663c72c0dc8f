//! Lists of runs: all runs or those that match a filter, newest first.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::TraceStore;
use super::read::{BodyFacts, TraceRow, fill_bodies, open_body, rows_of, stored_bodies};
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;

/// The maximum number of runs that one search reads, matching or not. The caller continues from the cursor.
const MAX_ROWS_READ: i64 = 5000;
/// The maximum decoded size of the trajectories that one search reads. Further rows of the page have no trajectory.
const MAX_TRAJECTORY_BYTES: i64 = 16 * 1024 * 1024;
/// The maximum decoded size of a page of [`TraceStore::list`], because older clients load the whole page. Further runs
/// are on the next page.
const MAX_PAGE_BYTES: i64 = 16 * 1024 * 1024;

/// A filter on runs. All given conditions must match; `None` matches every run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceListFilter {
    /// `Pending`: the run has no review. `Reviewed`: its review has been processed.
    pub review_status: Option<ReviewStatus>,
    /// The state of processing of the run.
    pub ingest: Option<IngestStatus>,
    /// The result of the review.
    pub result: Option<ReviewResult>,
    /// The exact name of the model, or its prefix if the value ends with `*`.
    pub model: Option<String>,
    /// A substring of the task or of the answer, ignoring case.
    pub text: Option<String>,
    /// Stored at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Stored before this time.
    pub until: Option<DateTime<Utc>>,
    /// A memory that the run received.
    pub memory: Option<MemoryId>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceListRow {
    /// The id of the run.
    pub trace_id: TraceId,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The first 400 characters of the task.
    pub task: String,
    /// The model of the run.
    pub model: Option<String>,
    /// The metadata of the run, as the client sent it.
    pub metadata: serde_json::Value,
    /// The number of messages in the trajectory.
    pub messages: i32,
    /// The memories that the run received.
    pub linked: Vec<MemoryId>,
    /// The state of processing.
    pub ingest: IngestStatus,
    /// Whether a review of the run has been processed.
    pub review_status: ReviewStatus,
    /// The memory that was learned from the run, if any.
    pub memory_id: Option<MemoryId>,
    /// The result of the review, if there is one.
    pub result: Option<ReviewResult>,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// The trajectory. `None` if it is no longer stored, cannot be decoded, or the page is too large.
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

/// A page of [`TraceStore::search`].
#[derive(Debug, Clone, PartialEq)]
pub struct TraceListPage {
    /// The runs, newest first.
    pub rows: Vec<TraceListRow>,
    /// The cursor of the next page. `None` if there are no more runs. The next page can be empty.
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
        let before = filter.until.map_or(before, |until| before.min(smallest_id_at(until)));
        let since = filter.since.map_or(Uuid::nil(), smallest_id_at);
        let (exact_model, model_prefix) = match filter.model.as_deref() {
            Some(model) => match model.strip_suffix('*') {
                Some(prefix) => (None, Some(prefix)),
                None => (Some(model), None),
            },
            None => (None, None),
        };
        let mut transaction = self.db.read().await?;
        let mut rows: Vec<TraceListRow> = sqlx::query_as(include_str!("../../sql/traces/search.sql"))
            .bind(self.db.project)
            .bind(before)
            .bind(since)
            .bind(MAX_ROWS_READ)
            .bind(i64::from(limit) + 1)
            .bind(filter.review_status.map(|status| status == ReviewStatus::Reviewed))
            .bind(filter.ingest.map(IngestStatus::code))
            .bind(filter.result.map(|result| result == ReviewResult::Pass))
            .bind(exact_model)
            .bind(model_prefix)
            .bind(filter.text.as_deref())
            .bind(filter.memory)
            .fetch_all(&mut *transaction)
            .await?;
        let next = if rows.len() > limit as usize {
            rows.truncate(limit as usize);
            rows.last().map(|row| row.trace_id)
        } else {
            // Fewer than requested: there are no more runs, or the read limit was reached.
            sqlx::query_scalar(include_str!("../../sql/traces/search_cursor.sql"))
                .bind(self.db.project)
                .bind(before)
                .bind(since)
                .bind(MAX_ROWS_READ)
                .fetch_optional(&mut *transaction)
                .await?
        };
        fill_trajectories(&mut transaction, &mut rows).await?;
        transaction.commit().await?;
        Ok(TraceListPage { rows, next })
    }
}

/// Reads the trajectories of the rows, as far as they fit into the limit.
async fn fill_trajectories(transaction: &mut ProjectTx, rows: &mut [TraceListRow]) -> Result<(), StoreError> {
    let mut bytes = 0;
    let within = rows.iter().take_while(|row| {
        bytes += i64::from(row.body.length);
        bytes <= MAX_TRAJECTORY_BYTES
    });
    let ids: Vec<TraceId> = within.map(|row| row.trace_id).collect();
    for stored in stored_bodies(transaction, &ids).await? {
        let Some(row) = rows.iter_mut().find(|row| row.trace_id == stored.trace_id) else { continue };
        // A body that cannot be decoded must not fail the list; reading the run itself reports it.
        row.trajectory = open_body(&transaction.sealer, &row.body, &stored).ok();
    }
    Ok(())
}

/// The smallest id of a timestamp, as computed by the database function `uuid_at`.
fn smallest_id_at(time: DateTime<Utc>) -> Uuid {
    let milliseconds = u128::try_from(time.timestamp_millis()).unwrap_or_default();
    Uuid::from_u128(milliseconds << 80)
}

/// A page of [`TraceStore::list`].
#[derive(Debug, Clone, PartialEq)]
pub struct TracePage {
    /// The runs, newest first.
    pub traces: Vec<TraceRow>,
    /// The cursor of the next page. `None` if there are no more runs.
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
        bytes <= MAX_PAGE_BYTES
    });
    within.count().max(1).min(rows.len())
}
