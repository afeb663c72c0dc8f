//! Which memories a review moves, by how much, and how often a key may do so in a day.

use std::collections::HashMap;

use reflect_types::{Alpha, KeyId, MemoryId, ReviewId, ReviewResult};

/// What a review may move, if its key is untrusted or may not review.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteBounds {
    /// The memories, each once.
    pub memories: Vec<MemoryId>,
    /// Further limits of an untrusted key.
    pub untrusted: Option<UntrustedVote>,
}

/// How far a review by an untrusted key may move a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UntrustedVote {
    /// The key.
    pub voter: KeyId,
    /// The learning rate. It replaces the one of the review.
    pub step: Alpha,
    /// How often this key may move one memory in a day (UTC). Further votes are not entered into the ledger.
    pub most_a_day: u32,
}

/// The effect of one review on one memory, before it is entered into the ledger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// The review.
    pub review: ReviewId,
    /// The memory.
    pub memory: MemoryId,
    /// 1 for a pass, 0 for a fail.
    pub reward: f32,
    /// The learning rate.
    pub alpha: f32,
    /// Whether the learning rate of the credit decreases with evidence.
    pub annealed: bool,
    /// For an untrusted key: the key and its daily limit for this memory.
    pub bound: Option<(KeyId, u32)>,
}

/// How often a key moved a memory today.
pub type VoteCounts = HashMap<(KeyId, MemoryId), u32>;

/// The votes of one review on the memories that its run had, or on those that the bounds allow.
pub fn votes_of(
    review: ReviewId,
    result: ReviewResult,
    alpha: Option<Alpha>,
    linked: &[MemoryId],
    bounds: Option<&VoteBounds>,
) -> Vec<Vote> {
    let memories = bounds.map_or(linked, |to| to.memories.as_slice());
    let (step, annealed, bound) = match bounds.and_then(|to| to.untrusted) {
        None => (alpha.unwrap_or(Alpha::DEFAULT), alpha.is_none(), None),
        Some(limit) => (limit.step, false, Some((limit.voter, limit.most_a_day))),
    };
    let (reward, alpha) = (reward(result), step.get());
    memories.iter().map(|&memory| Vote { review, memory, reward, alpha, annealed, bound }).collect()
}

/// Drops the votes above the daily limit. They are dropped rather than entered with a learning rate of 0, because an
/// entry counts as a review of the memory.
pub fn within_daily_limit(mut votes: Vec<Vote>, mut counts: VoteCounts) -> Vec<Vote> {
    votes.retain(|vote| {
        let Some((key, most)) = vote.bound else { return true };
        let count = counts.entry((key, vote.memory)).or_default();
        *count = count.saturating_add(1);
        *count <= most
    });
    votes
}

/// The reward of a verdict.
pub const fn reward(result: ReviewResult) -> f32 {
    match result {
        ReviewResult::Pass => 1.0,
        ReviewResult::Fail => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_moves_a_memory_at_most_n_times_a_day_and_trusted_keys_without_limit() {
        let (key, memory) = (KeyId::generate(), MemoryId::generate());
        let vote = |bound| Vote {
            review: ReviewId::generate(),
            memory,
            reward: 1.0,
            alpha: 0.1,
            annealed: false,
            bound,
        };
        let mine = || vote(Some((key, 3)));
        let other = || vote(Some((KeyId::generate(), 3)));

        let counted = within_daily_limit(
            vec![mine(), vote(None), mine(), other(), mine()],
            VoteCounts::from([((key, memory), 1)]),
        );

        assert_eq!(counted.iter().filter(|vote| vote.bound == Some((key, 3))).count(), 2);
        assert_eq!(counted.len(), 4);
    }

    #[test]
    fn bounds_replace_the_memories_and_the_learning_rate_of_a_review() {
        let (voter, linked) = (KeyId::generate(), [MemoryId::generate(), MemoryId::generate()]);
        let limit = UntrustedVote { voter, step: Alpha::DEFAULT, most_a_day: 2 };
        let bounds = VoteBounds { memories: vec![linked[1]], untrusted: Some(limit) };
        let proved = VoteBounds { memories: vec![linked[0]], untrusted: None };

        let free = votes_of(ReviewId::generate(), ReviewResult::Pass, None, &linked, None);
        let own = votes_of(ReviewId::generate(), ReviewResult::Pass, None, &linked, Some(&proved));
        let bounded = votes_of(ReviewId::generate(), ReviewResult::Fail, None, &linked, Some(&bounds));

        assert_eq!(
            free.iter().map(|vote| (vote.memory, vote.annealed)).collect::<Vec<_>>(),
            linked.map(|m| (m, true))
        );
        assert_eq!((own.len(), own[0].memory, own[0].annealed, own[0].bound), (1, linked[0], true, None));
        assert_eq!(bounded.len(), 1);
        assert_eq!(
            (bounded[0].memory, bounded[0].reward, bounded[0].bound),
            (linked[1], 0.0, Some((voter, 2)))
        );
    }
}
