//! The weight of utility against similarity that would have served the reviewed runs of a project best.

use std::cmp::Ordering;

use reflect_types::MemoryId;
use uuid::Uuid;

/// The weights that are compared.
pub const WEIGHTS: [f32; 4] = [0.0, 0.15, 0.3, 0.5];
/// How many of the nearest situations are ranked again after a review.
pub const REPLAYED: usize = 20;
/// Before this number of reviews, [`EARLY_WEIGHT`] is used.
const ENOUGH_REVIEWS: u32 = 200;
const EARLY_WEIGHT: f32 = 0.3;
/// Old reviews count less, because tasks change.
const DECAY: f32 = 0.999;

/// How well each weight would have served.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReplayScores {
    /// One score per weight of [`WEIGHTS`].
    pub scores: [f32; 4],
    /// How many reviews they come from.
    pub reviews: u32,
}

/// A situation that could have been served to a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayCandidate {
    /// The situation.
    pub memory_id: MemoryId,
    /// The similarity of its task.
    pub similarity: f32,
    /// Its utility.
    pub utility: f32,
    /// Its lesson.
    pub lesson: Uuid,
}

/// What a review says about lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// This lesson proved right: the run passed, or the reviewer said so.
    Right(Uuid),
    /// This lesson was followed and was wrong.
    Wrong(Uuid),
}

impl ReplayScores {
    /// The scores after a review. Each weight ranks the candidates; the lesson with the largest sum of similarities among
    /// the best `limit` is its answer. A weight gains a point if its answer proved right, and loses one if it was wrong.
    #[must_use]
    pub fn after(&self, candidates: &[ReplayCandidate], limit: usize, proof: &Proof) -> Self {
        let mut scores = self.scores;
        for (score, weight) in scores.iter_mut().zip(WEIGHTS) {
            let answer = answer(candidates, weight, limit);
            let point = match proof {
                Proof::Right(lesson) if answer == Some(*lesson) => 1.0,
                Proof::Wrong(lesson) if answer == Some(*lesson) => -1.0,
                Proof::Right(_) | Proof::Wrong(_) => 0.0,
            };
            *score = (*score + point) * DECAY;
        }
        Self { scores, reviews: self.reviews.saturating_add(1) }
    }

    /// The weight to use: a constant for the first 200 reviews, then the one with the highest score, the lowest weight of
    /// equal ones.
    pub fn weight(&self) -> f32 {
        if self.reviews < ENOUGH_REVIEWS {
            return EARLY_WEIGHT;
        }
        let scored = self.scores.iter().zip(WEIGHTS).rev();
        scored.max_by(|one, other| one.0.total_cmp(other.0)).map_or(EARLY_WEIGHT, |(_, weight)| weight)
    }
}

/// The lesson with the largest sum of similarities among the best candidates, of equal ones the one that ranks first.
fn answer(candidates: &[ReplayCandidate], weight: f32, limit: usize) -> Option<Uuid> {
    let score = |one: &ReplayCandidate| (1.0 - weight) * one.similarity + weight * one.utility;
    let better = |one: &&ReplayCandidate, other: &&ReplayCandidate| -> Ordering {
        score(other)
            .total_cmp(&score(one))
            .then(other.similarity.total_cmp(&one.similarity))
            .then(one.memory_id.cmp(&other.memory_id))
    };
    let mut ranked: Vec<&ReplayCandidate> = candidates.iter().collect();
    ranked.sort_by(better);
    let mut sums: Vec<(Uuid, f32)> = Vec::new();
    for one in ranked.into_iter().take(limit) {
        match sums.iter_mut().find(|(lesson, _)| *lesson == one.lesson) {
            Some((_, sum)) => *sum += one.similarity,
            None => sums.push((one.lesson, one.similarity)),
        }
    }
    sums.into_iter().rev().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(lesson, _)| lesson)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(id: u128, similarity: f32, utility: f32, lesson: u128) -> ReplayCandidate {
        let (memory_id, lesson) = (MemoryId::from_uuid(Uuid::from_u128(id)), Uuid::from_u128(lesson));
        ReplayCandidate { memory_id, similarity, utility, lesson }
    }

    /// Similarity prefers lesson 1, utility prefers lesson 2.
    fn torn() -> [ReplayCandidate; 2] {
        [candidate(1, 0.9, 0.1, 1), candidate(2, 0.8, 0.9, 2)]
    }

    fn repeated(times: usize, proof: Proof) -> ReplayScores {
        (0..times).fold(ReplayScores::default(), |scores, _| scores.after(&torn(), 1, &proof))
    }

    #[test]
    fn a_weight_gains_by_the_right_answer_and_loses_by_the_wrong_one() {
        let right = repeated(1, Proof::Right(Uuid::from_u128(2)));
        assert_eq!(right.scores, [0.0, DECAY, DECAY, DECAY]);
        let wrong = repeated(1, Proof::Wrong(Uuid::from_u128(1)));
        assert_eq!((wrong.scores, wrong.reviews), ([-DECAY, 0.0, 0.0, 0.0], 1));
    }

    #[test]
    fn the_best_weight_is_used_after_200_reviews_and_the_lowest_of_equal_ones() {
        let similar = Proof::Right(Uuid::from_u128(1));
        let useful = Proof::Right(Uuid::from_u128(2));
        assert_eq!(repeated(199, similar).weight(), 0.3);
        assert_eq!(repeated(200, similar).weight(), 0.0);
        assert_eq!(repeated(200, useful).weight(), 0.15);
        assert_eq!(repeated(200, Proof::Right(Uuid::nil())).weight(), 0.0);
    }

    #[test]
    fn situations_of_one_lesson_count_together_and_the_first_of_equal_sums_wins() {
        let two = [candidate(1, 0.9, 0.5, 1), candidate(2, 0.5, 0.5, 2), candidate(3, 0.5, 0.5, 2)];
        assert_eq!(answer(&two, 0.0, 5), Some(Uuid::from_u128(2)));
        assert_eq!(answer(&two, 0.0, 2), Some(Uuid::from_u128(1)));
        let equal = [candidate(5, 0.5, 0.5, 1), candidate(4, 0.5, 0.5, 2)];
        assert_eq!(answer(&equal, 0.0, 5), Some(Uuid::from_u128(2)));
        assert_eq!(answer(&[], 0.3, 5), None);
    }

    proptest! {
        #[test]
        fn the_order_of_the_candidates_does_not_matter(
            given in prop::collection::vec((0_u8..10, 0_u8..10, 0_u128..4), 0..20),
            right in 0_u128..4,
        ) {
            let mut candidates: Vec<ReplayCandidate> = (0_u128..)
                .zip(&given)
                .map(|(id, (similarity, utility, lesson))| {
                    candidate(id, f32::from(*similarity) / 10.0, f32::from(*utility) / 10.0, *lesson)
                })
                .collect();
            let proof = Proof::Right(Uuid::from_u128(right));
            let scores = ReplayScores::default().after(&candidates, 5, &proof);
            candidates.reverse();
            prop_assert_eq!(ReplayScores::default().after(&candidates, 5, &proof), scores);
            prop_assert!(scores.scores.iter().all(|score| (0.0..=1.0).contains(score)));
        }
    }
}
