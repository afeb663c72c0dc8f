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

/// When a retrieval may have been, by its id. The server's clock made that id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrievalPeriod {
    /// The smallest id, and the smallest one after the period.
    since: Uuid,
    until: Uuid,
}

impl RetrievalPeriod {
    /// Between `within` before now and the next day: the clock of another process may be ahead. Without an upper limit, the
    /// partitions of the coming weeks would be read too.
    pub fn before(now: SystemTime, within: Duration) -> Self {
        let now = since_1970(now);
        let (since, until) = (now.saturating_sub(within), now + CLOCK_DIFFERENCE);
        Self { since: smallest_id(since), until: smallest_id(until) }
    }

    /// Between two times, in the milliseconds of both too.
    pub fn between(first: SystemTime, last: SystemTime) -> Self {
        let after = since_1970(last).saturating_add(Duration::from_millis(1));
        Self { since: smallest_id(since_1970(first)), until: smallest_id(after) }
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

    /// The last receipt of a key for a task in a period.
    pub async fn last_served(
        &self,
        task_digest: &[u8; 32],
        key: KeyId,
        period: RetrievalPeriod,
    ) -> Result<Option<ServedReceipt>, StoreError> {
        let mut transaction = self.point_read().await?;
        let served = last_served(&mut transaction, &[(*task_digest, key, period)]).await?;
        transaction.commit().await?;
        Ok(served.into_iter().next().flatten())
    }

    /// The memories that the named ones stood for in the last retrieval of a key for a task in a period.
    pub async fn copies_served(
        &self,
        named: &[MemoryId],
        task_digest: &[u8; 32],
        key: KeyId,
        period: RetrievalPeriod,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let mut transaction = self.point_read().await?;
        let copies = sqlx::query_scalar(include_str!("../../sql/traces/copies_served.sql"))
            .bind(self.db.project)
            .bind(*task_digest)
            .bind(key)
            .bind(period.since)
            .bind(period.until)
            .bind(named);
        let copies = copies.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(copies)
    }
}

/// The last receipt of each key for each task digest in its period, in the order of `sent`.
pub(crate) async fn last_served(
    transaction: &mut ProjectTx,
    sent: &[([u8; 32], KeyId, RetrievalPeriod)],
) -> Result<Vec<Option<ServedReceipt>>, StoreError> {
    let since: Vec<Uuid> = sent.iter().map(|(_, _, period)| period.since).collect();
    let until: Vec<Uuid> = sent.iter().map(|(_, _, period)| period.until).collect();
    let found: Vec<LastServed> = sqlx::query_as(include_str!("../../sql/traces/last_served.sql"))
        .bind(transaction.project)
        .bind(sent.iter().map(|(task_digest, ..)| task_digest.as_slice()).collect::<Vec<_>>())
        .bind(sent.iter().map(|(_, key, _)| *key).collect::<Vec<_>>())
        .bind(since.iter().min().copied())
        .bind(until.iter().max().copied())
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

fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
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
        let RetrievalPeriod { since, until } = RetrievalPeriod::before(now, hour);
        let id_at = |ago: u64| smallest_id(since_1970(now) - Duration::from_secs(ago));

        let is_inside = |id: Uuid| since <= id && id < until;
        assert!(is_inside(RetrievalId::generate().as_uuid()));
        assert!(is_inside(id_at(3599)) && !is_inside(id_at(3601)));
    }

    #[test]
    fn a_period_has_the_milliseconds_of_both_of_its_ends() {
        let at = |milliseconds: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        let id_at = |milliseconds: u64| smallest_id(Duration::from_millis(milliseconds));
        let RetrievalPeriod { since, until } = RetrievalPeriod::between(at(5), at(9));
        let is_inside = |id: Uuid| since <= id && id < until;
        assert_eq!([4, 5, 9, 10].map(|at| is_inside(id_at(at))), [false, true, true, false]);
    }
}
