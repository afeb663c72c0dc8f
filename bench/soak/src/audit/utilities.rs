//! I3: the utility and the credit of every memory are the fold of the ledger.

use std::collections::HashMap;

use reflect_types::{Credit, Utility};

use super::facts::{EventFact, Facts, Key, StatFact};
use super::{Invariant, Violation};

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let mut events: HashMap<Key, Vec<&EventFact>> = HashMap::new();
    for event in facts.events.iter().filter(|event| !event.withdrawn) {
        events.entry((event.project_id, event.memory_id)).or_default().push(event);
    }
    let mut wrong = Vec::new();
    for stat in &facts.stats {
        let mut events = events.remove(&(stat.project_id, stat.memory_id)).unwrap_or_default();
        wrong.extend(utility(stat, &mut events));
        wrong.extend(credit(stat, &mut events));
    }
    wrong
}

fn utility(stat: &StatFact, events: &mut [&EventFact]) -> Option<Violation> {
    events.sort_by_key(|event| event.seq);
    let utility = events.iter().fold(Utility::START, |at, event| at.after(event.reward, event.alpha)).get();
    let passes = events.iter().filter(|event| event.reward >= 0.5).count();
    // The same operations on the same numbers, so the results must be bit-identical.
    let folded = (utility, events.len() as i64, passes as i64);
    let stands = (stat.q, i64::from(stat.reviews), i64::from(stat.passes));
    (stands != folded).then(|| {
        let what = format!("memory {} stands at {stands:?}; its ledger says {folded:?}", stat.memory_id);
        Violation::new(Invariant::I3, what)
    })
}

fn credit(stat: &StatFact, events: &mut [&EventFact]) -> Option<Violation> {
    events.sort_by_key(|event| event.credited);
    let credited = events.iter().filter(|event| event.credited.is_some() && event.used != Some(false));
    let folded = credited.fold(Credit::START, |at, event| {
        at.after(event.reward, event.expected.unwrap_or_default(), (!event.annealed).then_some(event.alpha))
    });
    let stands = Credit::stored(stat.credit, stat.evidence);
    (stands != folded).then(|| {
        let what = format!("memory {} has {stands:?}; its ledger says {folded:?}", stat.memory_id);
        Violation::new(Invariant::I3, what)
    })
}
