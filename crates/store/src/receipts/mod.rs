//! Receipts: the candidates of a retrieval, and what was served.
//!
//! A receipt is stored in the background (`writer.rs`). Every read here first flushes the receipts of the project that this
//! process holds, so a process sees its own receipts. A receipt that a caller names may also be on its way from another
//! process; `reflect_rules::receipts` says for how long.

mod served;
mod writer;

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_rules::receipts::{may_arrive_for, score};
use reflect_types::{Fate, MemoryId, RetrievalId};
use serde_json::Value;

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::{ProjectDb, ProjectTx};
use crate::error::StoreError;
pub(crate) use served::last_served;
pub use served::{RetrievalPeriod, ServedReceipt};

/// The pauses between two looks for a receipt of another process. It usually arrives within a few hundredths of a second.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How old a receipt is, at most, when a caller who wants to see it stops waiting for it.
const SHOWN_WITHIN: Duration = Duration::from_secs(1);

/// A stored receipt.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct ReceiptRow {
    /// Its id.
    pub retrieval_id: RetrievalId,
    /// The query.
    pub task: Option<String>,
    /// The parameters.
    pub parameters: Value,
    memory_ids: Vec<MemoryId>,
    /// The similarities of all candidates, then their utilities. `None` for receipts of earlier releases.
    scores: Option<Vec<i16>>,
    /// Only on receipts of earlier releases.
    similarities: Option<Vec<f32>>,
    /// Only on receipts of earlier releases.
    utilities: Option<Vec<f32>>,
    fates: Vec<i16>,
    /// Whether the search was degraded.
    pub degraded: bool,
    /// Whether it was a holdout: nothing was served.
    pub held_out: bool,
    /// Duration of the embedding, in microseconds.
    pub embed_us: i32,
    /// Duration of search and ranking, in microseconds.
    pub search_us: i32,
    /// When the retrieval was made.
    pub created_at: DateTime<Utc>,
}

/// A candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReceiptLine {
    /// The memory.
    pub memory_id: MemoryId,
    /// How similar its task was.
    pub similarity: f32,
    /// The utility used for ranking.
    pub utility: f32,
    /// Its fate.
    pub fate: Option<Fate>,
}

impl ReceiptRow {
    /// All candidates, the served ones first.
    pub fn lines(&self) -> impl Iterator<Item = ReceiptLine> {
        let count = self.memory_ids.len();
        self.memory_ids.iter().enumerate().map(move |(place, memory_id)| {
            let similarity = self.number(place, self.similarities.as_deref(), place);
            let utility = self.number(count + place, self.utilities.as_deref(), place);
            let fate = self.fates.get(place).and_then(|code| Fate::from_code(*code));
            ReceiptLine { memory_id: *memory_id, similarity, utility, fate }
        })
    }

    fn number(&self, stored: usize, earlier: Option<&[f32]>, place: usize) -> f32 {
        let stored = self.scores.as_ref().and_then(|scores| scores.get(stored)).map(|stored| score(*stored));
        stored.or_else(|| earlier?.get(place).copied()).unwrap_or_default()
    }
}

/// A task of a recent query.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RecentTask {
    /// Its last receipt.
    pub retrieval_id: RetrievalId,
    /// The task.
    pub task: String,
}

/// The receipts of retrievals.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl ReceiptStore<'_> {
    /// The tasks of the last queries, each once, newest first.
    pub async fn recent_tasks(&self, most: usize) -> Result<Vec<RecentTask>, StoreError> {
        self.db.flush_receipts().await;
        let mut transaction = self.db.read().await?;
        let asked = sqlx::query_as(include_str!("../../sql/memories/recent_tasks.sql"));
        let asked = asked.bind(self.db.project).bind(most as i64).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(asked)
    }

    /// One receipt. Waits a moment for one that another process has just made.
    pub async fn get(&self, id: RetrievalId) -> Result<ReceiptRow, StoreError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let mut transaction = self.point_read().await?;
            let row: Option<ReceiptRow> = sqlx::query_as(include_str!("../../sql/memories/receipt.sql"))
                .bind(self.db.project)
                .bind(id)
                .fetch_optional(&mut *transaction)
                .await?;
            transaction.commit().await?;
            if let Some(row) = row {
                return Ok(row);
            }
            if !self.rest(id, SHOWN_WITHIN, &mut pause).await {
                return Err(StoreError::NotFound { what: "retrieval" });
            }
        }
    }

    /// For finding receipts by id or by task. The transaction sees those that this process has made.
    async fn point_read(&self) -> Result<ProjectTx, StoreError> {
        self.db.flush_receipts().await;
        self.db.point_read().await
    }

    /// Waits before the next look for a receipt that is not stored. Returns false at once if it does not arrive any more.
    async fn rest(&self, id: RetrievalId, patience: Duration, pause: &mut Duration) -> bool {
        let rest = match self.db.fault {
            #[cfg(debug_assertions)]
            Some(StoreFault::NoReceiptWait) => None,
            _ => may_arrive_for(id, SystemTime::now(), patience),
        };
        let Some(rest) = rest else { return false };
        tokio::time::sleep(rest.min(*pause)).await;
        *pause = (*pause * 2).min(LONGEST_PAUSE);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_rules::receipts::stored_score;

    fn row(scores: Option<Vec<i16>>, earlier: Option<(Vec<f32>, Vec<f32>)>) -> ReceiptRow {
        let (similarities, utilities) = earlier.unzip();
        ReceiptRow {
            retrieval_id: RetrievalId::generate(),
            task: None,
            parameters: Value::Null,
            memory_ids: vec![MemoryId::generate(), MemoryId::generate()],
            scores,
            similarities,
            utilities,
            fates: vec![0, 1],
            degraded: false,
            held_out: false,
            embed_us: 1,
            search_us: 1,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn receipts_of_earlier_releases_are_read_as_those_of_this_one() {
        let scores = [0.75, 0.25, 0.5, 1.0].map(stored_score).to_vec();
        for row in [row(Some(scores), None), row(None, Some((vec![0.75, 0.25], vec![0.5, 1.0])))] {
            let lines: Vec<ReceiptLine> = row.lines().collect();
            for (line, (similarity, utility)) in lines.iter().zip([(0.75, 0.5), (0.25, 1.0)]) {
                assert!((line.similarity - similarity).abs() < 0.000_1, "{line:?}");
                assert!((line.utility - utility).abs() < 0.000_1, "{line:?}");
            }
            assert_eq!((lines[0].fate, lines[1].fate), (Some(Fate::Served), Some(Fate::Dissimilar)));
        }
    }
}
