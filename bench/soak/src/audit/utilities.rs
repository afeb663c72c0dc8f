//! I3: the utility and the credit of every memory are the fold of the ledger, and so is every checkpoint of a fold.

use std::collections::HashMap;

use reflect_types::{Credit, Utility};

use super::facts::{CheckpointFact, EventFact, Facts, Key, StatFact};
use super::{Invariant, Violation};

/// `fold` of a checkpoint of the utility.
const OF_UTILITY: i16 = 0;

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let mut events: HashMap<Key, Vec<&EventFact>> = HashMap::new();
    for event in facts.events.iter().filter(|event| !event.withdrawn) {
        events.entry((event.project_id, event.memory_id)).or_default().push(event);
    }
    let mut checkpoints: HashMap<Key, Vec<&CheckpointFact>> = HashMap::new();
    for checkpoint in &facts.checkpoints {
        checkpoints.entry((checkpoint.project_id, checkpoint.memory_id)).or_default().push(checkpoint);
    }
    let mut wrong = Vec::new();
    for stat in &facts.stats {
        let key = (stat.project_id, stat.memory_id);
        let mut events = events.remove(&key).unwrap_or_default();
        wrong.extend(utility(stat, &mut events));
        wrong.extend(credit(stat, &mut events));
        for checkpoint in checkpoints.remove(&key).unwrap_or_default() {
            wrong.extend(stale(checkpoint, &mut events));
        }
    }
    wrong
}

/// Utility, reviews and passes after these entries, which are in the order of the ledger.
fn folded_utility(events: &[&EventFact]) -> (f32, i64, i64) {
    let utility = events.iter().fold(Utility::START, |at, event| at.after(event.reward, event.alpha)).get();
    let passes = events.iter().filter(|event| event.reward >= 0.5).count();
    (utility, events.len() as i64, passes as i64)
}

/// The credit after these entries, which are in the order in which they moved it.
fn folded_credit(events: &[&EventFact]) -> Credit {
    let credited = events.iter().filter(|event| event.credited.is_some() && event.used != Some(false));
    credited.fold(Credit::START, |at, event| {
        at.after(event.reward, event.expected.unwrap_or_default(), (!event.annealed).then_some(event.alpha))
    })
}

fn utility(stat: &StatFact, events: &mut [&EventFact]) -> Option<Violation> {
    events.sort_by_key(|event| event.seq);
    // The same operations on the same numbers, so the results must be bit-identical.
    let folded = folded_utility(events);
    let stands = (stat.q, i64::from(stat.reviews), i64::from(stat.passes));
    (stands != folded).then(|| {
        let what = format!("memory {} stands at {stands:?}; its ledger says {folded:?}", stat.memory_id);
        Violation::new(Invariant::I3, what)
    })
}

fn credit(stat: &StatFact, events: &mut [&EventFact]) -> Option<Violation> {
    events.sort_by_key(|event| event.credited);
    let folded = folded_credit(events);
    let stands = Credit::stored(stat.credit, stat.evidence);
    (stands != folded).then(|| {
        let what = format!("memory {} has {stands:?}; its ledger says {folded:?}", stat.memory_id);
        Violation::new(Invariant::I3, what)
    })
}

/// A checkpoint that differs from the fold of the entries up to its position.
fn stale(checkpoint: &CheckpointFact, events: &mut [&EventFact]) -> Option<Violation> {
    let holds = if checkpoint.fold == OF_UTILITY {
        events.sort_by_key(|event| event.seq);
        let covered = events.partition_point(|event| event.seq <= checkpoint.position);
        let stands = (checkpoint.value, i64::from(checkpoint.reviews), i64::from(checkpoint.passes));
        stands == folded_utility(&events[..covered])
    } else {
        events.sort_by_key(|event| event.credited);
        let covered =
            events.partition_point(|event| event.credited.map(i64::from) <= Some(checkpoint.position));
        Credit::stored(checkpoint.value, checkpoint.reviews) == folded_credit(&events[..covered])
    };
    (!holds).then(|| {
        let what = format!("the ledger of memory {} contradicts {checkpoint:?}", checkpoint.memory_id);
        Violation::new(Invariant::I3, what)
    })
}
