//! What reviews ask to move, and what is left of it where a key may move a memory only so often a day.

use std::collections::HashMap;

use reflect_types::{KeyId, MemoryId, ReviewId, ReviewResult};
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::learning::Reviewed;
use crate::project_ctx::ProjectCtx;

/// One memory's share in one review, before it is in the ledger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vote {
    pub(super) review: ReviewId,
    pub(super) memory: MemoryId,
    pub(super) reward: f32,
    pub(super) alpha: f32,
    pub(super) annealed: bool,
    /// The key, where it is not trusted, and how often it may move this memory in a day.
    pub(super) bound: Option<(KeyId, u32)>,
}

/// How often a key moved a memory.
type Counts = HashMap<(KeyId, MemoryId), u32>;

/// All that these reviews ask for, in their order.
pub(super) fn votes(reviewed: &[Reviewed<'_>]) -> Vec<Vote> {
    let mut votes = Vec::new();
    for Reviewed { review, linked, .. } in reviewed {
        let (memories, alpha, annealed, bound) = match &review.bounds {
            None => (*linked, review.step(), review.alpha.is_none(), None),
            Some(to) => (to.memories.as_slice(), to.step, false, Some((to.voter, to.most_a_day))),
        };
        let (review, reward, alpha) = (review.review_id, reward(review.result), alpha.get());
        votes.extend(memories.iter().map(|&memory| Vote { review, memory, reward, alpha, annealed, bound }));
    }
    votes
}

/// Leaves out what goes beyond the day's share. A vote that does not count is not entered: with a step of nought it
/// would still look like a review of the memory.
fn within_the_day(votes: Vec<Vote>, mut counts: Counts) -> Vec<Vote> {
    let mut counted = votes;
    counted.retain(|vote| {
        let Some((key, most)) = vote.bound else { return true };
        let count = counts.entry((key, vote.memory)).or_default();
        *count = count.saturating_add(1);
        *count <= most
    });
    counted
}

impl ProjectCtx {
    /// What of these votes may be entered. The memories are held from here on, so that no other vote comes between.
    pub(super) async fn allowed(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        votes: Vec<Vote>,
    ) -> Result<Vec<Vote>, StoreError> {
        let voters: Vec<KeyId> = votes.iter().filter_map(|vote| Some(vote.bound?.0)).collect();
        if voters.is_empty() {
            return Ok(votes);
        }
        let memories: Vec<MemoryId> = votes.iter().map(|vote| vote.memory).collect();
        let held = sqlx::query(include_str!("../../sql/utility/hold.sql")).bind(self.project).bind(&memories);
        held.execute(&mut **transaction).await?;
        let counts: Vec<(KeyId, MemoryId, i64)> =
            sqlx::query_as(include_str!("../../sql/utility/votes_today.sql"))
                .bind(self.project)
                .bind(voters)
                .bind(memories)
                .fetch_all(&mut **transaction)
                .await?;
        let counts = counts
            .into_iter()
            .map(|(key, memory, count)| ((key, memory), u32::try_from(count).unwrap_or(u32::MAX)));
        let sent = votes.len();
        let allowed = within_the_day(votes, counts.collect());
        metrics::counter!("reflect_votes_refused_total", "reason" => "day")
            .increment((sent - allowed.len()) as u64);
        Ok(allowed)
    }
}

/// What a verdict is worth.
const fn reward(result: ReviewResult) -> f32 {
    match result {
        ReviewResult::Pass => 1.0,
        ReviewResult::Fail => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_moves_a_memory_only_so_often_a_day_and_others_as_often_as_they_like() {
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

        let counted = within_the_day(
            vec![mine(), vote(None), mine(), other(), mine()],
            Counts::from([((key, memory), 1)]),
        );

        assert_eq!(counted.iter().filter(|vote| vote.bound == Some((key, 3))).count(), 2);
        assert_eq!(counted.len(), 4);
    }
}
