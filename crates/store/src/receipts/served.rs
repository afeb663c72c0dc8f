//! What receipts say about the run that follows them.

use std::time::{Duration, SystemTime};

use reflect_rules::holdout::{self, HoldoutFacts};
use reflect_rules::receipts::SETTLED_AFTER;
use reflect_types::{Arm, KeyId, MemoryId, RetrievalId};
use uuid::Uuid;

use super::{FIRST_PAUSE, ReceiptStore};
use crate::db::ProjectTx;
use crate::error::StoreError;

/// More than the clocks of two processes differ.
const CLOCK_DIFFERENCE: Duration = Duration::from_secs(24 * 60 * 60);

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
    /// Returns when the project's receipts that this process has accepted are stored or given up.
    pub async fn flush(&self) {
        self.db.flush_receipts().await;
    }

    /// What was served under a receipt. `None` if there is no such receipt.
    pub async fn served(&self, receipt: RetrievalId) -> Result<Option<ServedReceipt>, StoreError> {
        let mut transaction = self.point_read().await?;
        let found = sqlx::query_as(include_str!("../../sql/traces/served.sql"));
        let served = found.bind(self.db.project).bind(receipt).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(served)
    }

    /// What was served under a receipt that a run names. Waits while the receipt may still arrive from another process.
    /// `None` means that it never will.
    pub async fn served_or_arriving(&self, id: RetrievalId) -> Result<Option<ServedReceipt>, StoreError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let served = self.served(id).await?;
            if served.is_some() || !self.rest(id, SETTLED_AFTER, &mut pause).await {
                return Ok(served);
            }
        }
    }

    /// The last receipt of a key for a task, if it is not older than `within`.
    pub async fn last_served(
        &self,
        task_digest: &[u8; 32],
        key: KeyId,
        within: Duration,
    ) -> Result<Option<ServedReceipt>, StoreError> {
        let mut transaction = self.point_read().await?;
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
        let mut transaction = self.point_read().await?;
        let copies = sqlx::query_scalar(include_str!("../../sql/traces/copies_served.sql"))
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
    let found: Vec<LastServed> = sqlx::query_as(include_str!("../../sql/traces/last_served.sql"))
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
