//! Listing runs, newest first, a page at a time.

use reflect_types::{ReviewStatus, TraceId};
use uuid::Uuid;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::traces::TraceRow;

/// The most that one page's trajectories may have, decoded: clients of old load the page whole.
const PAGE_BYTES: i64 = 16 * 1024 * 1024;

/// Some runs, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePage {
    /// Newest first.
    pub traces: Vec<TraceRow>,
    /// The last of them, when there are more.
    pub next: Option<TraceId>,
}

impl ProjectCtx {
    /// The newest runs before a cursor, at most `limit` of them and at most 16 MB.
    pub async fn traces(
        &self,
        status: Option<ReviewStatus>,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<TracePage, StoreError> {
        let before = before.map_or(Uuid::max(), TraceId::as_uuid);
        // One more than asked for tells whether there is a next page.
        let fetched = i64::from(limit) + 1;
        let mut transaction = self.read().await?;
        let rows = match status {
            None => sqlx::query_as(include_str!("../../sql/traces/list.sql"))
                .bind(self.project)
                .bind(before)
                .bind(fetched),
            Some(status) => sqlx::query_as(include_str!("../../sql/traces/list_by_status.sql"))
                .bind(self.project)
                .bind(before)
                .bind(fetched)
                .bind(status == ReviewStatus::Reviewed),
        };
        let mut traces: Vec<TraceRow> = rows.fetch_all(&mut *transaction).await?;
        let fits = page_length(&traces, limit as usize);
        let more = traces.len() > fits;
        traces.truncate(fits);
        self.fill_bodies(&mut transaction, &mut traces).await?;
        transaction.commit().await?;
        let next = traces.last().filter(|_| more).map(|row| row.trace_id);
        Ok(TracePage { traces, next })
    }
}

/// How many rows go on this page. At least one, however large, so that paging always moves on.
fn page_length(rows: &[TraceRow], limit: usize) -> usize {
    let mut bytes = 0;
    let within = rows.iter().take(limit).take_while(|row| {
        bytes += i64::from(row.body.length);
        bytes <= PAGE_BYTES
    });
    within.count().max(1).min(rows.len())
}
