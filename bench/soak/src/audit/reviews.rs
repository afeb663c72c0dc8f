//! I2: reviews. At most one is current, it is the last acknowledged one, and the ledger has a row for every memory that
//! the run is linked to, and no other.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::facts::{EventFact, Facts, Key, ReviewFact, TraceFact};
use super::{Invariant, Violation};
use crate::client::{Log, Standing};

pub(super) fn check(facts: &Facts, log: &Log) -> Vec<Violation> {
    let mut violations = live_ones(facts);
    violations.extend(ledger(facts));
    violations.extend(acknowledged(facts, log));
    violations
}

fn violation(what: String) -> Violation {
    Violation::new(Invariant::I2, what)
}

fn live_ones(facts: &Facts) -> Vec<Violation> {
    let mut live: HashMap<Key, Vec<Uuid>> = HashMap::new();
    for review in facts.reviews.iter().filter(|review| review.live) {
        live.entry((review.project_id, review.trace_id)).or_default().push(review.review_id);
    }
    let mut violations: Vec<Violation> = live
        .iter()
        .filter(|(_, reviews)| reviews.len() > 1)
        .map(|((_, trace), reviews)| violation(format!("trace {trace} has {} live reviews", reviews.len())))
        .collect();
    for state in &facts.states {
        let live = live.get(&(state.project_id, state.trace_id)).and_then(|reviews| reviews.first()).copied();
        if live != state.review_id {
            violations.push(violation(format!(
                "trace {} is said to have the review {:?}, its live review is {live:?}",
                state.trace_id, state.review_id
            )));
        }
    }
    violations
}

fn ledger(facts: &Facts) -> Vec<Violation> {
    let known = facts.memory_keys();
    let traces: HashMap<Key, &TraceFact> =
        facts.traces.iter().map(|trace| ((trace.project_id, trace.trace_id), trace)).collect();
    let mut entered: HashMap<Key, Vec<&EventFact>> = HashMap::new();
    for event in &facts.events {
        entered.entry((event.project_id, event.review_id)).or_default().push(event);
    }
    let mut violations = Vec::new();
    for review in &facts.reviews {
        let events = entered.remove(&(review.project_id, review.review_id)).unwrap_or_default();
        let Some(trace) = traces.get(&(review.project_id, review.trace_id)) else {
            if facts.is_expired(review.project_id, review.trace_id) {
                violations.extend(entries_of(review, &events, None));
                continue;
            }
            violations.push(violation(format!("review {} judges no trace", review.review_id)));
            continue;
        };
        if trace.erased {
            // The ledger keeps its numbers, and the run no longer says what it was shown.
            violations.extend(entries_of(review, &events, None));
            continue;
        }
        let linked = Facts::linked(trace, &known);
        for memory in facts.shown(trace, &known).difference(&linked) {
            let what =
                format!("trace {} is not linked to memory {memory}, which it was shown", trace.trace_id);
            violations.push(violation(what));
        }
        violations.extend(entries_of(review, &events, Some(&linked)));
    }
    let strays = entered.keys().map(|(_, review)| {
        violation(format!("the ledger has entries of review {review}, which is not there"))
    });
    violations.extend(strays);
    violations
}

fn entries_of(review: &ReviewFact, events: &[&EventFact], shown: Option<&HashSet<Uuid>>) -> Vec<Violation> {
    let id = review.review_id;
    let mut violations = Vec::new();
    let entered: HashSet<Uuid> = events.iter().map(|event| event.memory_id).collect();
    if entered.len() < events.len() {
        violations.push(violation(format!(
            "review {id} has {} entries in the ledger for {} memories",
            events.len(),
            entered.len()
        )));
    }
    let shown = shown.unwrap_or(&entered);
    for memory in shown.difference(&entered) {
        violations.push(violation(format!(
            "review {id} has no entry for memory {memory}, which its run is linked to"
        )));
    }
    for memory in entered.difference(shown) {
        violations.push(violation(format!(
            "review {id} has an entry for memory {memory}, which its run is not linked to"
        )));
    }
    let reward = if review.passed { 1.0 } else { 0.0 };
    for event in events {
        if event.reward != reward || event.alpha != review.alpha || event.withdrawn == review.live {
            violations.push(violation(format!(
                "entry {} does not say what its review {id} says: reward {}, alpha {}, withdrawn {}",
                event.seq, event.reward, event.alpha, event.withdrawn
            )));
        }
    }
    violations
}

/// Checks the reviews that clients were acknowledged.
fn acknowledged(facts: &Facts, log: &Log) -> Vec<Violation> {
    let reviews: HashSet<Uuid> = facts.reviews.iter().map(|review| review.review_id).collect();
    let live: HashMap<Uuid, &ReviewFact> =
        facts.reviews.iter().filter(|review| review.live).map(|review| (review.trace_id, review)).collect();
    let lost = log.reviews.iter().filter(|id| !reviews.contains(id));
    let mut violations: Vec<Violation> =
        lost.map(|id| violation(format!("acknowledged review {id} is not there"))).collect();
    for sent in &log.traces {
        let Some(id) = sent.acknowledged else { continue };
        let stored = live.get(&id);
        let agrees = match sent.standing {
            Standing::Unknown => true,
            Standing::None => stored.is_none(),
            Standing::Either => stored.is_some(),
            Standing::Verdict(passed) => stored.is_some_and(|review| review.passed == passed),
        };
        if !agrees {
            violations.push(violation(format!(
                "the verdict on trace {id} was acknowledged as {:?} and is {:?}",
                sent.standing,
                stored.map(|review| review.passed)
            )));
        }
    }
    violations
}
