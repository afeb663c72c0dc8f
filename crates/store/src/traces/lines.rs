//! Runs as rows of a table, newest first, that fit a filter.

use chrono::{DateTime, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Row, Transaction};
use uuid::Uuid;

use crate::body;
use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;
use crate::traces::read::BodyFacts;

/// How many runs one search looks at. Who wants more asks again from there.
const LOOKED_AT: i64 = 5000;
/// Trajectories beyond this much are not looked into.
const MOST_BYTES: i64 = 16 * 1024 * 1024;

/// Which runs are wanted. What is absent does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// Whether they were judged.
    pub review_status: Option<ReviewStatus>,
    /// How far learning has come.
    pub ingest: Option<IngestStatus>,
    /// How they were judged.
    pub result: Option<ReviewResult>,
    /// The model that ran; with a `*` at the end, how its name begins.
    pub model: Option<String>,
    /// Words of the task or the answer.
    pub text: Option<String>,
    /// Not older than this.
    pub since: Option<DateTime<Utc>>,
    /// Older than this.
    pub until: Option<DateTime<Utc>>,
    /// Had this memory.
    pub memory: Option<MemoryId>,
}

/// A run as a row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceLineRow {
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
    /// How far learning has come.
    pub ingest: IngestStatus,
    /// Whether the verdict has become a memory.
    pub review_status: ReviewStatus,
    /// That memory.
    pub memory_id: Option<MemoryId>,
    /// The verdict.
    pub result: Option<ReviewResult>,
    /// Who gave it.
    pub reviewer: Option<String>,
    /// The trajectory, unless it is gone or the page became too large.
    pub trajectory: Option<String>,
    body: BodyFacts,
}

impl FromRow<'_, PgRow> for TraceLineRow {
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

/// Some rows, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceLinePage {
    /// Newest first.
    pub lines: Vec<TraceLineRow>,
    /// The last run that was looked at, when there may be more.
    pub next: Option<TraceId>,
}

impl ProjectCtx {
    /// The newest runs before a cursor that fit, at most `limit` of them, with their trajectories.
    pub async fn trace_lines(
        &self,
        filter: &TraceFilter,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<TraceLinePage, StoreError> {
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
        let mut transaction = self.read().await?;
        let mut lines: Vec<TraceLineRow> = sqlx::query_as(include_str!("../../sql/traces/lines.sql"))
            .bind(self.project)
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
            // Fewer than wanted: either there are no more runs, or no more were looked at.
            sqlx::query_scalar(include_str!("../../sql/traces/looked_at.sql"))
                .bind(self.project)
                .bind(before)
                .bind(since)
                .bind(LOOKED_AT)
                .fetch_optional(&mut *transaction)
                .await?
        };
        self.fill_lines(&mut transaction, &mut lines).await?;
        transaction.commit().await?;
        Ok(TraceLinePage { lines, next })
    }

    async fn fill_lines(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        lines: &mut [TraceLineRow],
    ) -> Result<(), StoreError> {
        let mut bytes = 0;
        let within = lines.iter().take_while(|line| {
            bytes += i64::from(line.body.length);
            bytes <= MOST_BYTES
        });
        let ids: Vec<TraceId> = within.map(|line| line.trace_id).collect();
        let bodies: Vec<(TraceId, Vec<u8>)> = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"))
            .bind(self.project)
            .bind(ids)
            .fetch_all(&mut **transaction)
            .await?;
        for (id, bytes) in bodies {
            let Some(line) = lines.iter_mut().find(|line| line.trace_id == id) else { continue };
            let BodyFacts { codec, length, digest } = &line.body;
            // A body that cannot be read is no reason to list nothing; reading the run itself says so.
            line.trajectory = body::decode(*codec, *length, digest, &bytes).ok();
        }
        Ok(())
    }
}

/// The smallest id of a moment, as the database's `uuid_at` makes it.
fn smallest_at(moment: DateTime<Utc>) -> Uuid {
    let ms = u128::try_from(moment.timestamp_millis()).unwrap_or_default();
    Uuid::from_u128(ms << 80)
}
