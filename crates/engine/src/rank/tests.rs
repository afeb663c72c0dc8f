//! The order of memories, as rules and as properties.

use super::*;
use proptest::prelude::*;
use uuid::Uuid;

fn ranked(number: u128, score: f32) -> Ranked {
    let memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
    Ranked { memory_id, similarity: score, utility: 0.5, score }
}

fn ids(ranked: &[Ranked]) -> Vec<u128> {
    ranked.iter().map(|ranked| ranked.memory_id.as_uuid().as_u128()).collect()
}

#[test]
fn the_request_wins_and_replay_applies_to_the_learned_ranking() {
    let weight = |requested, replayed, ranking| {
        let weight = utility_weight(requested, replayed, ranking);
        (weight.value, weight.from)
    };
    assert_eq!(weight(Some(0.7), Some(0.15), Ranking::Learned), (0.7, "request"));
    assert_eq!(weight(None, Some(0.15), Ranking::Learned), (0.15, "replay"));
    assert_eq!(weight(None, Some(0.15), Ranking::Classic), (0.5, "default"));
    assert_eq!(weight(None, None, Ranking::Learned), (0.5, "default"));
}

#[test]
fn a_memory_that_says_the_same_again_gives_way_to_one_that_does_not() {
    let vectors = HashMap::from([
        (ranked(1, 0.0).memory_id, vec![1.0, 0.0]),
        (ranked(2, 0.0).memory_id, vec![1.0, 0.0]),
        (ranked(3, 0.0).memory_id, vec![0.0, 1.0]),
    ]);
    let found = vec![ranked(1, 0.9), ranked(2, 0.89), ranked(3, 0.7)];
    assert_eq!(ids(&diversify(found.clone(), &vectors, 0.7, 2, 0)), [1, 3, 2]);
    // What keeps its place is there for others to differ from.
    assert_eq!(ids(&diversify(found.clone(), &vectors, 0.7, 3, 2)), [1, 2, 3]);
    assert_eq!(ids(&diversify(found, &vectors, 1.0, 3, 0)), [1, 2, 3]);
}

fn considered() -> impl Strategy<Value = Considered> {
    (any::<u128>(), -1.0_f32..=1.0, 0.0_f32..=1.0, 0.0_f32..=1.0, 0_i32..200).prop_map(
        |(id, similarity, q, credit, evidence)| Considered {
            memory_id: MemoryId::from_uuid(Uuid::from_u128(id)),
            similarity,
            q,
            credit: Credit::stored(credit, evidence),
            untrusted: None,
            lesson: None,
            text: None,
            absorbed: 0,
        },
    )
}

proptest! {
    #[test]
    fn nothing_below_the_threshold_is_ranked_and_scores_fall(
        candidates in proptest::collection::vec(considered(), 0..40),
        weight in 0.0_f32..=1.0, threshold in -1.0_f32..=1.0, classic in any::<bool>(),
    ) {
        let ranking = if classic { Ranking::Classic } else { Ranking::Learned };
        let ranked = rank(&candidates, ranking, weight, threshold);
        let similar = candidates.iter().filter(|candidate| candidate.similarity >= threshold).count();
        prop_assert_eq!(ranked.len(), similar);
        prop_assert!(ranked.is_sorted_by(|one, next| one.score >= next.score));
        prop_assert!(ranked.iter().all(|one| (0.0..=1.0).contains(&one.utility)));
    }

    #[test]
    fn the_order_does_not_depend_on_the_order_of_what_was_found(
        candidates in proptest::collection::vec(considered(), 0..40), weight in 0.0_f32..=1.0,
    ) {
        let mut turned = candidates.clone();
        turned.reverse();
        let one = rank(&candidates, Ranking::Learned, weight, -1.0);
        prop_assert_eq!(one, rank(&turned, Ranking::Learned, weight, -1.0));
    }

    #[test]
    fn similarity_alone_decides_at_weight_nought_and_utility_alone_at_one(
        candidates in proptest::collection::vec(considered(), 1..40),
    ) {
        let by_similarity = rank(&candidates, Ranking::Learned, 0.0, -1.0);
        prop_assert!(by_similarity.is_sorted_by(|one, next| one.similarity >= next.similarity));
        let by_utility = rank(&candidates, Ranking::Learned, 1.0, -1.0);
        prop_assert!(by_utility.is_sorted_by(|one, next| one.utility >= next.utility));
    }

    #[test]
    fn diversity_loses_and_invents_nothing(
        scores in proptest::collection::vec(0.0_f32..1.0, 0..30), mmr in 0.0_f32..=1.0, limit in 1_usize..40,
    ) {
        let found: Vec<Ranked> = scores.iter().enumerate().map(|(at, score)| ranked(at as u128, *score)).collect();
        let vectors = found.iter().map(|r| (r.memory_id, vec![r.score, 1.0 - r.score])).collect();
        let mut after = ids(&diversify(found.clone(), &vectors, mmr, limit, 0));
        after.sort_unstable();
        let mut before = ids(&found);
        before.sort_unstable();
        prop_assert_eq!(before, after);
    }
}
