//! Receipts: the candidates of a retrieval, and what was served.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_rules::holdout::{self, HoldoutFacts};
use reflect_types::{Arm, Fate, KeyId, MemoryId, RetrievalId};
use serde_json::Value;
use uuid::Uuid;

use crate::db::{ProjectDb, ProjectTx};
use crate::error::StoreError;

/// More than the clocks of two processes differ.
const CLOCK_DIFFERENCE: Duration = Duration::from_secs(24 * 60 * 60);

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
    similarities: Vec<f32>,
    utilities: Vec<f32>,
    fates: Vec<i16>,
    /// Whether the search was degraded.
    pub degraded: bool,
    /// Whether it was a holdout: nothing was served.
    pub held_out: bool,
    /// Duration of the embedding, in microseconds.
    pub embed_us: i32,
    /// Duration of search and ranking, in microseconds.
    pub search_us: i32,
    /// When it was stored.
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
        let numbers = self.similarities.iter().zip(&self.utilities);
        self.memory_ids.iter().zip(numbers).enumerate().map(|(place, (memory_id, (similarity, utility)))| {
            let fate = self.fates.get(place).and_then(|code| Fate::from_code(*code));
            ReceiptLine { memory_id: *memory_id, similarity: *similarity, utility: *utility, fate }
        })
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
        let mut transaction = self.db.read().await?;
        let asked = sqlx::query_as(include_str!("../sql/memories/recent_tasks.sql"));
        let asked = asked.bind(self.db.project).bind(most as i64).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(asked)
    }

    /// One receipt.
    pub async fn get(&self, id: RetrievalId) -> Result<ReceiptRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let row = sqlx::query_as(include_str!("../sql/memories/receipt.sql")).bind(self.db.project).bind(id);
        let row = row.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        row.ok_or(StoreError::NotFound { what: "retrieval" })
    }
}

/// A receipt, as far as it matters for the run that follows it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ServedReceipt {
    /// The receipt.
    pub retrieval_id: RetrievalId,
    /// The key of the caller.
    pub key_id: KeyId,
    /// The served memories, then those that they stand for.
    pub memories: Vec<MemoryId>,
    /// Whether anything was found.
    pub found: bool,
    /// Whether the search was degraded.
    pub degraded: bool,
    /// Whether it was a holdout: nothing was served.
    pub held_out: bool,
    /// Whether that was decided randomly.
    pub sampled: bool,
}

impl ServedReceipt {
    /// The holdout arm of a run that follows this receipt.
    pub const fn arm(&self, says_it_had_memories: bool) -> Option<Arm> {
        let Self { sampled, found, degraded, held_out, .. } = *self;
        holdout::arm(HoldoutFacts { sampled, found, degraded, held_out }, says_it_had_memories)
    }
}

impl ReceiptStore<'_> {
    /// What was served under a receipt. `None` if there is no such receipt.
    pub async fn served(&self, receipt: RetrievalId) -> Result<Option<ServedReceipt>, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let found = sqlx::query_as(include_str!("../sql/traces/served.sql"));
        let served = found.bind(self.db.project).bind(receipt).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(served)
    }

    /// The last receipt of a key for a task, if it is not older than `within`.
    pub async fn last_served(
        &self,
        task_digest: &[u8; 32],
        key: KeyId,
        within: Duration,
    ) -> Result<Option<ServedReceipt>, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let served = last_served(&mut transaction, &[(*task_digest, key)], within).await?;
        transaction.commit().await?;
        Ok(served.into_iter().next().flatten())
    }

    /// The memories that the named ones stood for in the last retrieval of a key for a task, if it is not older than
    /// `within`.
    pub async fn copies_served(
        &self,
        named: &[MemoryId],
        task_digest: &[u8; 32],
        key: KeyId,
        within: Duration,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let (since, until) = id_range(SystemTime::now(), within);
        let mut transaction = self.db.point_read().await?;
        let copies = sqlx::query_scalar(include_str!("../sql/traces/copies_served.sql"))
            .bind(self.db.project)
            .bind(*task_digest)
            .bind(key)
            .bind(since)
            .bind(until)
            .bind(named);
        let copies = copies.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(copies)
    }
}

/// The last receipt of each key for each task digest that is not older than `within`, in the order of `sent`.
pub(crate) async fn last_served(
    transaction: &mut ProjectTx,
    sent: &[([u8; 32], KeyId)],
    within: Duration,
) -> Result<Vec<Option<ServedReceipt>>, StoreError> {
    let (since, until) = id_range(SystemTime::now(), within);
    let found: Vec<LastServed> = sqlx::query_as(include_str!("../sql/traces/last_served.sql"))
        .bind(transaction.project)
        .bind(sent.iter().map(|(task_digest, _)| task_digest.as_slice()).collect::<Vec<_>>())
        .bind(sent.iter().map(|(_, key)| *key).collect::<Vec<_>>())
        .bind(since)
        .bind(until)
        .fetch_all(&mut **transaction)
        .await?;
    let mut served = vec![None; sent.len()];
    for LastServed { place, receipt } in found {
        let index = usize::try_from(place).unwrap_or(0).wrapping_sub(1);
        if let Some(slot) = served.get_mut(index) {
            *slot = Some(receipt);
        }
    }
    Ok(served)
}

/// A receipt, and the place of its task and key among those that were sent, from 1.
#[derive(sqlx::FromRow)]
struct LastServed {
    place: i64,
    #[sqlx(flatten)]
    receipt: ServedReceipt,
}

/// The ids of the retrievals between `within` before now and the next day. The server's clock made those ids; the clock
/// of another process may be ahead. Without an upper limit, the partitions of the coming weeks would be read too.
fn id_range(now: SystemTime, within: Duration) -> (Uuid, Uuid) {
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (smallest_id(now.saturating_sub(within)), smallest_id(now + CLOCK_DIFFERENCE))
}

/// The smallest UUIDv7 of a time since 1970.
const fn smallest_id(time: Duration) -> Uuid {
    Uuid::from_u128(time.as_millis() << 80)
}

impl ReceiptStore<'_> {
    /// Reduces the served memories of a receipt, because only memories that reached the client may be credited.
    /// `covered` are those that the remaining ones stand for.
    pub async fn shorten(
        &self,
        receipt: RetrievalId,
        served: usize,
        covered: &[MemoryId],
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let served = i32::try_from(served).unwrap_or(i32::MAX);
        let shortened = sqlx::query(include_str!("../sql/memories/shorten_receipt.sql"));
        let shortened = shortened.bind(self.db.project).bind(receipt).bind(served).bind(covered);
        shortened.execute(&mut *transaction).await?;
        transaction.commit().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_the_last_hour_are_in_the_range_and_older_ones_are_not() {
        let (now, hour) = (SystemTime::now(), Duration::from_secs(60 * 60));
        let (since, until) = id_range(now, hour);
        let id_at = |ago: u64| {
            smallest_id(now.duration_since(SystemTime::UNIX_EPOCH).unwrap() - Duration::from_secs(ago))
        };

        let is_inside = |id: Uuid| since <= id && id < until;
        assert!(is_inside(RetrievalId::generate().as_uuid()));
        assert!(is_inside(id_at(3599)) && !is_inside(id_at(3601)));
    }
}
