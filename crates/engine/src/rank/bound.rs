//! How much of an answer untrusted sources may have. Pure rules; answers without such sources are left as they are.

use std::collections::{HashMap, HashSet};

use reflect_types::{Credit, KeyId, MemoryId, Source, TraceId, Utility};

use super::{Ranked, Ranking};

/// How many reviews of others a memory of an untrusted source needs before it is ranked like any other.
const ENOUGH_EVIDENCE: i32 = 3;

/// What is taken for the utility of a memory whose source is not trusted: until others have tried it, nothing above
/// the start, and nothing for being new.
pub(super) fn utility(ranking: Ranking, q: f32, credit: Credit) -> f32 {
    let start = Utility::START.get();
    match ranking {
        Ranking::Learned if credit.evidence() >= ENOUGH_EVIDENCE => credit.utility(),
        Ranking::Learned => credit.value().min(start),
        Ranking::Classic if credit.evidence() >= ENOUGH_EVIDENCE => q,
        Ranking::Classic => q.min(start),
    }
}

/// Candidates in the order in which they are served, and those that are not served because their source had its share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held {
    /// In their order.
    pub serving: Vec<Ranked>,
    /// In their order.
    pub beyond: Vec<Ranked>,
}

/// Holds untrusted sources to their share of the places: one memory of a run, and of a key no more than half of
/// them, but one at least.
pub fn hold_to_share(ranked: Vec<Ranked>, sources: &HashMap<MemoryId, Source>, limit: usize) -> Held {
    if sources.is_empty() {
        return Held { serving: ranked, beyond: Vec::new() };
    }
    let most = (limit / 2).max(1);
    let (mut of_key, mut of_run) = (HashMap::<KeyId, usize>::new(), HashSet::<TraceId>::new());
    let mut held = Held::default();
    for one in ranked {
        let source = sources.get(&one.memory_id).filter(|_| held.serving.len() < limit);
        if let Some(source) = source {
            let count = of_key.entry(source.key).or_default();
            if *count == most || of_run.contains(&source.trace) {
                held.beyond.push(one);
                continue;
            }
            *count += 1;
            of_run.insert(source.trace);
        }
        held.serving.push(one);
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn ranked(number: u128) -> Ranked {
        let memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
        Ranked { memory_id, similarity: 0.5, utility: 0.5, score: 1.0 - number as f32 / 100.0 }
    }

    fn source(key: u128, trace: u128) -> Source {
        Source {
            key: KeyId::from_uuid(Uuid::from_u128(key)),
            trace: TraceId::from_uuid(Uuid::from_u128(trace)),
        }
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

    #[test]
    fn what_nobody_has_tried_is_worth_no_more_than_the_start() {
        let (new, tried) = (Credit::stored(0.9, 2), Credit::stored(0.9, 3));
        assert_eq!(utility(Ranking::Learned, 0.9, new), 0.5);
        assert_eq!(utility(Ranking::Classic, 0.9, new), 0.5);
        assert_eq!(utility(Ranking::Classic, 0.2, new), 0.2);
        assert_eq!(utility(Ranking::Learned, 0.9, tried), tried.utility());
        assert_eq!(utility(Ranking::Classic, 0.9, tried), 0.9);
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
}
