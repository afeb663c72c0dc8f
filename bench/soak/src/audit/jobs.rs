//! I5 and I8: every review is learned from, and dead workers hold nothing.

use std::collections::HashSet;

use super::facts::Facts;
use super::{Invariant, Violation};

/// `failed` in `trace_state`.
const FAILED: i16 = 3;
/// Interrupted attempts count too. The product starts twenty attempts, and one more to mark the failure.
const MOST_ATTEMPTS: i16 = 21;

pub(super) fn check(facts: &Facts, drained: bool) -> Vec<Violation> {
    let mut violations = forgotten(facts);
    if !drained {
        violations.extend(left(facts));
    }
    violations.extend(held(facts, drained));
    violations.extend(endless(facts));
    violations
}

fn forgotten(facts: &Facts) -> Vec<Violation> {
    let violation = |what: String| Violation::new(Invariant::I5, what);
    // A job without a remaining attempt does not count.
    let due = facts.jobs.iter().filter(|job| job.attempts < job.max_attempts || job.locked_by.is_some());
    let keys: HashSet<&str> = due.filter_map(|job| job.key.as_deref()).collect();
    let mut violations = Vec::new();
    for state in facts.states.iter().filter(|state| !state.reviewed) {
        let Some(review) = state.review_id else { continue };
        let key = format!("learn {} {review}", state.project_id);
        if state.ingest == FAILED && state.last_error.is_none() {
            violations.push(violation(format!("trace {} failed and does not say why", state.trace_id)));
        }
        if state.ingest != FAILED && !keys.contains(key.as_str()) {
            violations.push(violation(format!(
                "review {review} of trace {} is not learned from (ingest {}, attempts {}, {:?}) and has no job",
                state.trace_id, state.ingest, state.attempts, state.last_error
            )));
        }
    }
    violations
}

/// Work that was not done although there was time.
fn left(facts: &Facts) -> Vec<Violation> {
    let due = facts.jobs.iter().filter(|job| job.attempts < job.max_attempts || job.locked_by.is_some());
    let described = due.map(|job| {
        let alive = job.locked_by.as_ref().is_some_and(|worker| facts.living_workers.contains(worker));
        format!(
            "job {} ({:?}) is left: attempt {} of {}, overdue for {:.0} s, held by {:?} (alive: {alive}), {:?}; in \
             its way: {}; open transactions: {:?}; living workers: {}",
            job.id,
            job.key,
            job.attempts,
            job.max_attempts,
            job.overdue,
            job.locked_by,
            job.last_error,
            job.obstacle,
            facts.long_transactions,
            facts.living_workers.len()
        )
    });
    described.map(|what| Violation::new(Invariant::I5, what)).collect()
}

fn held(facts: &Facts, drained: bool) -> Vec<Violation> {
    let jobs =
        facts.jobs.iter().filter_map(|job| Some((format!("job {}", job.id), job.locked_by.as_deref()?)));
    let queues = facts
        .held_queues
        .iter()
        .map(|queue| (format!("queue {:?}", queue.queue_name), queue.locked_by.as_str()));
    let held = jobs.chain(queues).filter_map(|(what, worker)| {
        let alive = facts.living_workers.contains(worker);
        let who = if alive { "a worker that has nothing to do" } else { "a worker that is dead" };
        // Before the work is finished, running workers hold jobs.
        (drained || !alive)
            .then(|| Violation::new(Invariant::I8, format!("{what} is held by {who} ({worker})")))
    });
    held.collect()
}

fn endless(facts: &Facts) -> Vec<Violation> {
    let jobs = facts.jobs.iter().filter(|job| job.attempts > job.max_attempts);
    let jobs =
        jobs.map(|job| format!("job {} was tried {} times of {}", job.id, job.attempts, job.max_attempts));
    let traces = facts.states.iter().filter(|state| state.attempts > MOST_ATTEMPTS);
    let traces = traces.map(|state| format!("trace {} was tried {} times", state.trace_id, state.attempts));
    jobs.chain(traces).map(|what| Violation::new(Invariant::I8, what)).collect()
}
