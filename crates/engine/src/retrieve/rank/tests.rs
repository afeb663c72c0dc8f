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
fn the_pool_leaves_utility_something_to_lift() {
    assert_eq!(pool(1), 20);
    assert_eq!(pool(10), 40);
}

#[test]
fn a_memory_that_says_the_same_again_gives_way_to_one_that_does_not() {
    let vectors = HashMap::from([
        (ranked(1, 0.0).memory_id, vec![1.0, 0.0]),
        (ranked(2, 0.0).memory_id, vec![1.0, 0.0]),
        (ranked(3, 0.0).memory_id, vec![0.0, 1.0]),
    ]);
    let found = vec![ranked(1, 0.9), ranked(2, 0.89), ranked(3, 0.7)];
    assert_eq!(ids(&diversify(found.clone(), &vectors, 0.7, 2)), [1, 3, 2]);
    assert_eq!(ids(&diversify(found, &vectors, 1.0, 3)), [1, 2, 3]);
}

proptest! {
    #[test]
    fn diversity_loses_and_invents_nothing(
        scores in proptest::collection::vec(0.0_f32..1.0, 0..30), mmr in 0.0_f32..=1.0, limit in 1_usize..40,
    ) {
        let found: Vec<Ranked> = scores.iter().enumerate().map(|(at, score)| ranked(at as u128, *score)).collect();
        let vectors = found.iter().map(|r| (r.memory_id, vec![r.score, 1.0 - r.score])).collect();
        let mut after = ids(&diversify(found.clone(), &vectors, mmr, limit));
        after.sort_unstable();
        let mut before = ids(&found);
        before.sort_unstable();
        prop_assert_eq!(before, after);
    }
}
