//! Reviewed runs that had a memory.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, ReviewId, TraceId};
use uuid::Uuid;

use super::MemoryStore;
use crate::error::StoreError;

/// A reviewed run that had a memory.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct UseRow {
    /// The review of it.
    pub review_id: ReviewId,
    /// The run; none when it was deleted.
    pub trace_id: Option<TraceId>,
    /// Its task, if it is still stored.
    pub task: Option<String>,
    /// 1 for a pass.
    pub reward: f32,
    /// Whether it used the memory, if that is known.
    pub used: Option<bool>,
    /// When the review counted.
    pub created_at: DateTime<Utc>,
    /// The memory's position on the receipt, from 1, if the receipt is still stored.
    pub place: Option<i32>,
    /// How similar its task was.
    pub similarity: Option<f32>,
    /// The utility before and after.
    #[sqlx(skip)]
    pub q: (f32, f32),
}

impl MemoryStore<'_> {
    /// Reviewed runs that had a memory, newest first, before a cursor; and the cursor to go on from.
    pub async fn uses(
        &self,
        memory: MemoryId,
        before: Option<ReviewId>,
        limit: u32,
    ) -> Result<(Vec<UseRow>, Option<ReviewId>), StoreError> {
        let history = self.history(memory, usize::MAX).await?;
        let moved: HashMap<ReviewId, (f32, f32)> =
            history.steps.into_iter().filter_map(|step| Some((step.review?.review_id, step.q))).collect();
        let mut transaction = self.db.read().await?;
        let mut uses: Vec<UseRow> = sqlx::query_as(include_str!("../../sql/curation/uses.sql"))
            .bind(self.db.project)
            .bind(memory)
            .bind(before.map_or(Uuid::max(), ReviewId::as_uuid))
            .bind(i64::from(limit) + 1)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        for one in &mut uses {
            one.q = moved.get(&one.review_id).copied().unwrap_or_default();
        }
        let more = uses.len() > limit as usize;
        uses.truncate(limit as usize);
        let next = uses.last().filter(|_| more).map(|last| last.review_id);
        Ok((uses, next))
    }
}
