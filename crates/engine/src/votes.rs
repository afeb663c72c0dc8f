//! Limits of reviews. The review of an untrusted key changes only memories that this key was served, and only a little.
//! A key without the scope `review:write` may send reviews with its runs, but they change only memories that it was
//! served.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use reflect_store::{RetrievalPeriod, ServedReceipt, Store, StoreError, UntrustedVote, VoteBounds};
use reflect_types::{Alpha, Defence, KeyId, MemoryId, ProjectId, RetrievalId, Scope, Trust};

use crate::caller::Visitor;

/// The largest learning rate of an untrusted key.
const LARGEST_STEP: f32 = 0.1;
/// The most memories that count without a receipt: as many as an answer usually has.
const MOST_UNPROVED: usize = 20;
/// How often an untrusted key may change one memory in a day. With the largest learning rate, at most 0.27 in total.
const MOST_A_DAY: u32 = 3;
/// How long after a retrieval a run of the same task counts as its run.
pub(crate) const FOLLOWS: Duration = Duration::from_secs(60 * 60);

/// The key or member behind a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Voter {
    /// The project.
    pub(crate) project: ProjectId,
    /// The key. For a member, the member's id.
    pub(crate) key_id: KeyId,
    /// How far it is trusted.
    pub(crate) trust: Trust,
    /// Whether it may review runs that it did not send.
    pub(crate) may_review: bool,
}

impl From<&Visitor> for Voter {
    fn from(visitor: &Visitor) -> Self {
        let Visitor { project, key_id, trust, .. } = *visitor;
        let may_review = visitor.may(Scope::ReviewWrite).is_ok() || !Defence::InfluenceReceipt.is_on();
        Self { project, key_id, trust, may_review }
    }
}

/// The run of a review, as far as it shows which memories the key was served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VotedRun<'a> {
    /// Its task.
    pub(crate) task: &'a str,
    /// The memories that it is linked to.
    pub(crate) linked: &'a [MemoryId],
    /// Its receipt.
    pub(crate) retrieval: Option<RetrievalId>,
}

/// Limits what the reviews of untrusted keys, and of keys that may not review, change.
#[derive(Debug, Clone)]
pub(crate) struct VoteLimits {
    store: Store,
}

impl VoteLimits {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Whether the reviews of this voter are limited: it is untrusted, or may not review.
    pub(crate) fn apply_to(voter: &Voter) -> bool {
        voter.trust == Trust::Untrusted || !voter.may_review
    }

    /// The limits of a review by this voter; `None` if there are none.
    pub(crate) async fn bounds(
        &self,
        voter: &Voter,
        run: VotedRun<'_>,
        alpha: Option<Alpha>,
    ) -> Result<Option<VoteBounds>, StoreError> {
        if !Self::apply_to(voter) {
            return Ok(None);
        }
        let may_review = voter.may_review;
        let receipts = self.store.project(voter.project);
        let receipts = receipts.receipts();
        let mut receipt = match run.retrieval {
            Some(retrieval) => receipts.served(retrieval).await?,
            None => None,
        };
        if !may_review && receipt.is_none() {
            // Clients that send ids send no receipt.
            let task = blake3::hash(run.task.as_bytes());
            let period = RetrievalPeriod::before(SystemTime::now(), FOLLOWS);
            receipt = receipts.last_served(task.as_bytes(), voter.key_id, period).await?;
        }
        let memories = provable(voter.key_id, run.linked, receipt.as_ref(), may_review);
        let refused = once(run.linked).len() - memories.len();
        metrics::counter!("reflect_votes_refused_total", "reason" => "unproved").increment(refused as u64);
        let untrusted =
            (voter.trust == Trust::Untrusted).then(|| untrusted_vote(voter.key_id, receipt.is_some(), alpha));
        Ok(Some(VoteBounds { memories, untrusted }))
    }
}

/// The memories that a limited review may move. A receipt shows what its key was served. Without a receipt, only a key
/// that may review moves any.
fn provable(
    voter: KeyId,
    linked: &[MemoryId],
    receipt: Option<&ServedReceipt>,
    may_review: bool,
) -> Vec<MemoryId> {
    let mut memories = once(linked);
    match receipt {
        // The receipt of another key proves nothing about this key.
        Some(receipt) => {
            memories.retain(|memory| receipt.key_id == voter && receipt.memories.contains(memory));
        }
        None if may_review => memories.truncate(MOST_UNPROVED),
        None => memories.clear(),
    }
    memories
}

/// How far a vote of an untrusted key moves a memory.
fn untrusted_vote(voter: KeyId, has_receipt: bool, alpha: Option<Alpha>) -> UntrustedVote {
    let asked = alpha.unwrap_or(Alpha::DEFAULT).get().min(LARGEST_STEP);
    let step = Alpha::try_from(if has_receipt { asked } else { asked / 2.0 }).unwrap_or(Alpha::DEFAULT);
    UntrustedVote { voter, step, most_a_day: MOST_A_DAY }
}

fn once(memories: &[MemoryId]) -> Vec<MemoryId> {
    let mut seen = HashSet::new();
    memories.iter().copied().filter(|memory| seen.insert(*memory)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::Utility;

    fn served(key_id: KeyId, memories: &[MemoryId]) -> ServedReceipt {
        ServedReceipt {
            retrieval_id: RetrievalId::generate(),
            key_id,
            memories: memories.to_vec(),
            found: true,
            degraded: false,
            held_out: false,
            sampled: false,
        }
    }

    #[test]
    fn only_what_was_served_to_the_same_key_is_moved() {
        let (key, one, other) = (KeyId::generate(), MemoryId::generate(), MemoryId::generate());
        let own = served(key, &[one]);
        let foreign = served(KeyId::generate(), &[one]);

        for may_review in [true, false] {
            assert_eq!(provable(key, &[one, one, other], Some(&own), may_review), [one]);
            assert!(provable(key, &[one], Some(&foreign), may_review).is_empty());
        }
    }

    #[test]
    fn without_a_receipt_the_step_is_halved_and_few_memories_count() {
        let (key, many) = (KeyId::generate(), Vec::from_iter((0..50).map(|_| MemoryId::generate())));

        assert_eq!(provable(key, &many, None, true), many[..MOST_UNPROVED]);
        assert_eq!(untrusted_vote(key, false, Alpha::try_from(1.0).ok()).step.get(), LARGEST_STEP / 2.0);
    }

    #[test]
    fn without_a_receipt_a_key_that_may_not_review_moves_nothing() {
        assert!(provable(KeyId::generate(), &[MemoryId::generate()], None, false).is_empty());
    }

    #[test]
    fn a_step_is_never_larger_than_allowed_and_a_smaller_one_is_kept() {
        let step = |alpha| untrusted_vote(KeyId::generate(), true, alpha).step.get();

        assert_eq!(step(None), LARGEST_STEP);
        assert_eq!(step(Alpha::try_from(1.0).ok()), LARGEST_STEP);
        assert_eq!(step(Alpha::try_from(0.05).ok()), 0.05);
    }

    #[test]
    fn one_key_cannot_move_a_memory_far_in_a_day() {
        let step = |utility: Utility, _| utility.after(1.0, LARGEST_STEP);
        let moved = (0..MOST_A_DAY).fold(Utility::stored(0.0), step).get();
        assert!(moved < 0.3, "{moved}");
    }
}
