//! I1 and I7: every acknowledged trace is stored once, as it was sent, and repeated calls got the same response.

use std::collections::HashMap;

use super::facts::{Facts, TraceFact};
use super::{Invariant, Violation};
use crate::client::{Log, SentTrace};

pub(super) fn check(facts: &Facts, log: &Log) -> Vec<Violation> {
    // Every run of a client has a unique marker, so it is recognised with any id.
    let mut found: HashMap<&str, Vec<&TraceFact>> = HashMap::new();
    for trace in &facts.traces {
        found.entry(trace.metadata["run"].as_str().unwrap_or_default()).or_default().push(trace);
    }
    let mut violations = Vec::new();
    for sent in &log.traces {
        let copies = found.get(sent.marker.as_str()).map_or(&[][..], Vec::as_slice);
        if copies.len() > 1 {
            let what = format!(
                "run {} was sent under one idempotency key and is stored {} times",
                sent.marker,
                copies.len()
            );
            violations.push(Violation::new(Invariant::I7, what));
        }
        if sent.acknowledged.is_some() {
            violations.extend(lost_or_altered(facts, sent, copies));
        }
    }
    violations.extend(log.contradictions.iter().cloned());
    violations
}

fn lost_or_altered(facts: &Facts, sent: &SentTrace, copies: &[&TraceFact]) -> Option<Violation> {
    let id = sent.acknowledged?;
    let violation =
        |what: &str| Some(Violation::new(Invariant::I1, format!("acknowledged trace {id} {what}")));
    let Some(stored) = copies.iter().find(|trace| trace.trace_id == id) else {
        return violation("is not there");
    };
    if stored.task != sent.body["task"] || stored.metadata != sent.body["metadata"] {
        return violation("is not what was sent");
    }
    match facts.bodies.get(&id) {
        Some(Ok(trajectory)) if *trajectory == sent.body["trajectory"] => None,
        Some(Ok(_)) => violation("has another trajectory than was sent"),
        Some(Err(error)) => violation(&format!("cannot be read: {error}")),
        None => violation("was not read"),
    }
}
