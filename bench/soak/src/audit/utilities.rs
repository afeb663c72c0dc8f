//! I3: where every memory stands is what the ledger adds up to.

use std::collections::HashMap;

use reflect_types::Utility;

use super::facts::{Facts, Key};
use super::{Invariant, Violation};

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let mut folded: HashMap<Key, (Utility, i32, i32)> = HashMap::new();
    let mut events: Vec<_> = facts.events.iter().filter(|event| !event.withdrawn).collect();
    events.sort_by_key(|event| event.seq);
    for event in events {
        let standing = folded.entry((event.project_id, event.memory_id)).or_insert((Utility::START, 0, 0));
        standing.0 = standing.0.after(event.reward, event.alpha);
        standing.1 += 1;
        standing.2 += i32::from(event.reward >= 0.5);
    }
    let start = (Utility::START, 0, 0);
    let wrong = facts.stats.iter().filter_map(|stat| {
        let (utility, reviews, passes) = folded.get(&(stat.project_id, stat.memory_id)).unwrap_or(&start);
        // The same steps over the same numbers: not even the last bit may differ.
        let agrees = utility.get() == stat.q && *reviews == stat.reviews && *passes == stat.passes;
        let what = format!(
            "memory {} stands at {} after {} reviews and {} passes; its ledger says {}, {reviews}, {passes}",
            stat.memory_id,
            stat.q,
            stat.reviews,
            stat.passes,
            utility.get(),
        );
        (!agrees).then(|| Violation::new(Invariant::I3, what))
    });
    wrong.collect()
}
