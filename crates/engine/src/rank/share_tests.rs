//! The share of untrusted sources, as rules and as properties.

use super::*;
use proptest::prelude::*;
use uuid::Uuid;

fn ranked(number: u128) -> Ranked {
    let memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
    Ranked { memory_id, similarity: 0.5, utility: 0.5, score: 1.0 - number as f32 / 100.0 }
}

fn source(key: u128, trace: u128) -> Source {
    Source { key: KeyId::from_uuid(Uuid::from_u128(key)), trace: TraceId::from_uuid(Uuid::from_u128(trace)) }
}

fn ids(ranked: &[Ranked]) -> Vec<u128> {
    ranked.iter().map(|ranked| ranked.memory_id.as_uuid().as_u128()).collect()
}

#[test]
fn a_key_has_half_of_the_places_and_a_run_has_one() {
    let found: Vec<Ranked> = (0..8).map(ranked).collect();
    let from = |sources: &[(u128, Source)]| -> HashMap<MemoryId, Source> {
        sources.iter().map(|(number, source)| (ranked(*number).memory_id, *source)).collect()
    };
    let one_key = from(&[(0, source(1, 1)), (1, source(1, 2)), (2, source(1, 3)), (3, source(1, 4))]);
    let one_run = from(&[(0, source(1, 1)), (1, source(2, 1))]);

    let held = hold_to_share(found.clone(), &one_key, 4);
    assert_eq!((ids(&held.serving), ids(&held.beyond)), (vec![0, 1, 4, 5, 6, 7], vec![2, 3]));
    let held = hold_to_share(found.clone(), &one_run, 4);
    assert_eq!((ids(&held.serving), ids(&held.beyond)), (vec![0, 2, 3, 4, 5, 6, 7], vec![1]));
    let held = hold_to_share(found[..4].to_vec(), &one_key, 1);
    assert_eq!(ids(&held.serving)[..1], [0]);
}

proptest! {
    #[test]
    fn without_untrusted_sources_nothing_changes(count in 0_u128..40, limit in 1_usize..20) {
        let found: Vec<Ranked> = (0..count).map(ranked).collect();
        let held = hold_to_share(found.clone(), &HashMap::new(), limit);
        prop_assert_eq!(held, Held { serving: found, beyond: Vec::new() });
    }

    #[test]
    fn whatever_is_found_no_source_has_more_than_its_share(
        from in proptest::collection::vec(proptest::option::of((0_u128..3, 0_u128..10)), 0..30),
        limit in 1_usize..12,
    ) {
        let found: Vec<Ranked> = (0..from.len() as u128).map(ranked).collect();
        let pairs = found.iter().zip(&from);
        let sources: HashMap<MemoryId, Source> =
            pairs.filter_map(|(one, from)| from.map(|(key, run)| (one.memory_id, source(key, run)))).collect();

        let held = hold_to_share(found.clone(), &sources, limit);

        prop_assert_eq!(held.serving.len() + held.beyond.len(), found.len());
        let served = &held.serving[..limit.min(held.serving.len())];
        let mut runs = HashSet::new();
        let mut keys: HashMap<KeyId, usize> = HashMap::new();
        for source in served.iter().filter_map(|one| sources.get(&one.memory_id)) {
            prop_assert!(runs.insert(source.trace));
            *keys.entry(source.key).or_default() += 1;
        }
        prop_assert!(keys.values().all(|count| *count <= (limit / 2).max(1)));
    }
}
