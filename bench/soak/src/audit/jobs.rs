//! I5 and I8: every review is learned from, and dead workers hold nothing.

use std::collections::HashSet;

use uuid::Uuid;

use super::facts::{Facts, JobFact};
use super::{Invariant, Violation};

/// The kind of a learning job.
const LEARN: i16 = 0;
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
    let learning = facts.jobs.iter().filter(|job| job.kind == LEARN);
    let queued: HashSet<(i32, Uuid)> = learning.map(|job| (job.project_id, job.subject)).collect();
    let mut violations = Vec::new();
    for state in facts.states.iter().filter(|state| !state.reviewed) {
        let Some(review) = state.review_id else { continue };
        if state.ingest == FAILED && state.last_error.is_none() {
            violations.push(violation(format!("trace {} failed and does not say why", state.trace_id)));
        }
        if state.ingest != FAILED && !queued.contains(&(state.project_id, review)) {
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
    let described = facts.jobs.iter().map(|job| {
        let alive = job.worker.is_some_and(|worker| facts.living_workers.contains(&worker));
        format!(
            "{} is left: attempt {}, overdue for {:.0} s, held by {:?} (alive: {alive}), {:?}; in its way: {}; open \
             transactions: {:?}; living workers: {}",
            name(job),
            job.attempts,
            job.overdue,
            job.worker,
            job.last_error,
            job.obstacle,
            facts.long_transactions,
            facts.living_workers.len()
        )
    });
    described.map(|what| Violation::new(Invariant::I5, what)).collect()
}

fn name(job: &JobFact) -> String {
    format!("job {} of kind {} in project {}", job.subject, job.kind, job.project_id)
}

fn held(facts: &Facts, drained: bool) -> Vec<Violation> {
    let held = facts.jobs.iter().filter_map(|job| {
        let worker = job.worker?;
        let alive = facts.living_workers.contains(&worker);
        let who = if alive { "a worker that has nothing to do" } else { "a worker that is dead" };
        // Before the work is finished, running workers hold jobs.
        (drained || !alive)
            .then(|| Violation::new(Invariant::I8, format!("{} is held by {who} ({worker})", name(job))))
    });
    held.collect()
}

fn endless(facts: &Facts) -> Vec<Violation> {
    let traces = facts.states.iter().filter(|state| state.attempts > MOST_ATTEMPTS);
    let traces = traces.map(|state| format!("trace {} was tried {} times", state.trace_id, state.attempts));
    traces.map(|what| Violation::new(Invariant::I8, what)).collect()
}
