//! Limits of reviews. The review of an untrusted key changes only memories that this key was served, and only a little.

use std::collections::HashSet;

use reflect_store::{ServedReceipt, Store, StoreError, VoteBounds};
use reflect_types::{Alpha, KeyId, MemoryId, RetrievalId, Trust};

use crate::caller::Visitor;

/// The largest learning rate of an untrusted key.
const LARGEST_STEP: f32 = 0.1;
/// The most memories that count without a receipt: as many as an answer usually has.
const MOST_UNPROVED: usize = 20;
/// How often an untrusted key may change one memory in a day. With the largest learning rate, at most 0.27 in total.
const MOST_A_DAY: u32 = 3;

/// Limits what the reviews of untrusted keys change.
#[derive(Debug, Clone)]
pub(crate) struct VoteLimits {
    store: Store,
}

impl VoteLimits {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// The limits of a review by this caller; `None` for callers that are not untrusted.
    pub(crate) async fn bounds(
        &self,
        visitor: &Visitor,
        linked: &[MemoryId],
        retrieval: Option<RetrievalId>,
        alpha: Option<Alpha>,
    ) -> Result<Option<VoteBounds>, StoreError> {
        if visitor.trust != Trust::Untrusted {
            return Ok(None);
        }
        let receipt = match retrieval {
            Some(retrieval) => self.store.project(visitor.project).receipts().served(retrieval).await?,
            None => None,
        };
        let bounds = bounds(visitor.key_id, linked, receipt.as_ref(), alpha);
        let refused = once(linked).len() - bounds.memories.len();
        metrics::counter!("reflect_votes_refused_total", "reason" => "unproved").increment(refused as u64);
        Ok(Some(bounds))
    }
}

/// The limits of an untrusted key, given the receipt.
fn bounds(
    voter: KeyId,
    linked: &[MemoryId],
    receipt: Option<&ServedReceipt>,
    alpha: Option<Alpha>,
) -> VoteBounds {
    let asked = alpha.unwrap_or(Alpha::DEFAULT).get().min(LARGEST_STEP);
    let mut memories = once(linked);
    let step = match receipt {
        Some(receipt) => {
            // The receipt of another key proves nothing about this key.
            memories.retain(|memory| receipt.key_id == voter && receipt.memories.contains(memory));
            asked
        }
        None => {
            memories.truncate(MOST_UNPROVED);
            asked / 2.0
        }
    };
    let step = Alpha::try_from(step).unwrap_or(Alpha::DEFAULT);
    VoteBounds { voter, memories, step, most_a_day: MOST_A_DAY }
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

        assert_eq!(bounds(key, &[one, one, other], Some(&own), None).memories, [one]);
        assert!(bounds(key, &[one], Some(&foreign), None).memories.is_empty());
    }

    #[test]
    fn without_a_receipt_the_step_is_halved_and_few_memories_count() {
        let (key, many) = (KeyId::generate(), Vec::from_iter((0..50).map(|_| MemoryId::generate())));

        let unproved = bounds(key, &many, None, Alpha::try_from(1.0).ok());

        assert_eq!(unproved.memories, many[..MOST_UNPROVED]);
        assert_eq!(unproved.step.get(), LARGEST_STEP / 2.0);
    }

    #[test]
    fn a_step_is_never_larger_than_allowed_and_a_smaller_one_is_kept() {
        let (key, memory) = (KeyId::generate(), MemoryId::generate());
        let step = |alpha| bounds(key, &[memory], Some(&served(key, &[memory])), alpha).step.get();

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
