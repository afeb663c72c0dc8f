//! I4: a review has one memory, and its marked steps have one each; they are complete, and a finished trace points to the
//! first of them or to the memory that absorbed it.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::facts::{Facts, Key, MemoryFact, Project, StatFact};
use super::{Invariant, Violation};

/// `active` in `memory_stat`.
const ACTIVE: i16 = 1;
/// `retired`.
pub(super) const RETIRED: i16 = 2;
/// `disabled`: here, a newer review superseded it.
pub(super) const DISABLED: i16 = 4;
/// `merged`: here, another memory absorbed it.
pub(super) const MERGED: i16 = 5;
/// `completed` in `trace_state`.
const COMPLETED: i16 = 2;

fn violation(what: String) -> Violation {
    Violation::new(Invariant::I4, what)
}

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let mut violations = one_per_review(facts);
    violations.extend(parts(facts));
    violations.extend(steps(facts));
    violations.extend(finished(facts));
    violations
}

fn one_per_review(facts: &Facts) -> Vec<Violation> {
    let mut memories: HashMap<Key, usize> = HashMap::new();
    for memory in &facts.memories {
        if let Some(review) = memory.source_review {
            *memories.entry((memory.project_id, review)).or_default() += 1;
        }
    }
    let doubled = memories.iter().filter(|(_, count)| **count > 1);
    doubled.map(|((_, review), count)| violation(format!("review {review} has {count} memories"))).collect()
}

fn parts(facts: &Facts) -> Vec<Violation> {
    let status = statuses(facts);
    let live: HashSet<Key> = facts
        .reviews
        .iter()
        .filter(|review| review.live)
        .map(|review| (review.project_id, review.review_id))
        .collect();
    let spaces: HashMap<Project, &[i16]> =
        facts.projects.iter().map(|project| (project.project_id, project.write_spaces.as_slice())).collect();
    let mut placed: HashMap<(Key, bool), Vec<i16>> = HashMap::new();
    for vector in &facts.vectors {
        let key = ((vector.project_id, vector.memory_id), vector.is_parked);
        placed.entry(key).or_default().push(vector.space_id);
    }
    let erased = facts.erased_traces();
    let mut violations = Vec::new();
    for memory in &facts.memories {
        let (id, key) = (memory.memory_id, (memory.project_id, memory.memory_id));
        let Some(status) = status.get(&key) else {
            violations.push(violation(format!("memory {id} has no utility")));
            continue;
        };
        // A memory stays if its run is deleted, although its review is gone.
        let stays = memory.source_trace.is_some_and(|trace| erased.contains(&(memory.project_id, trace)));
        let in_use =
            stays || memory.source_review.is_none_or(|review| live.contains(&(memory.project_id, review)));
        // A step has no review of its own: the others of its run say whether it counts.
        if memory.step.is_none_or(|_| memory.source_review.is_some()) && in_use == (*status == RETIRED) {
            violations
                .push(violation(format!("memory {id} has status {status}, its review is live: {in_use}")));
        }
        let mut of_project = spaces.get(&memory.project_id).copied().unwrap_or_default().to_vec();
        of_project.sort_unstable();
        for is_parked in [false, true] {
            let mut has = placed.remove(&(key, is_parked)).unwrap_or_default();
            has.sort_unstable();
            // Vectors of retired memories may be kept aside.
            let wanted = match (is_parked, *status) {
                (false, ACTIVE) | (true, DISABLED | MERGED) => of_project.clone(),
                (true, RETIRED) => has.clone(),
                _ => Vec::new(),
            };
            if has != wanted {
                let place = if is_parked { "parked" } else { "searched" };
                let what =
                    format!("memory {id} has {place} vectors in the spaces {has:?} and not {wanted:?}");
                violations.push(violation(what));
            }
        }
    }
    let left = placed.keys().map(|((_, id), _)| violation(format!("a vector is left of no memory {id}")));
    violations.extend(left);
    let memories = facts.memory_keys();
    let strays = status.keys().filter(|key| !memories.contains(key));
    violations.extend(strays.map(|(_, id)| violation(format!("a utility is left of no memory {id}"))));
    violations
}

fn statuses(facts: &Facts) -> HashMap<Key, i16> {
    facts.stats.iter().map(|stat| ((stat.project_id, stat.memory_id), stat.status)).collect()
}

/// Steps of a run that count: one each, and only while the run is reviewed.
fn steps(facts: &Facts) -> Vec<Violation> {
    let status = statuses(facts);
    let reviewed: HashSet<Key> = facts
        .states
        .iter()
        .filter(|state| state.reviewed)
        .map(|state| (state.project_id, state.trace_id))
        .collect();
    let mut seen: HashSet<(Key, i16)> = HashSet::new();
    let mut violations = Vec::new();
    for memory in &facts.memories {
        let (id, status) = (memory.memory_id, status.get(&(memory.project_id, memory.memory_id)));
        let (Some(trace), Some(step)) = (memory.source_trace, memory.step) else { continue };
        if status == Some(&RETIRED) {
            continue;
        }
        let trace = (memory.project_id, trace);
        if !seen.insert((trace, step)) {
            violations.push(violation(format!("step {step} of trace {} has two memories", trace.1)));
        }
        if !reviewed.contains(&trace) && !facts.is_expired(trace.0, trace.1) {
            violations.push(violation(format!("memory {id} is a step of a trace without a review")));
        }
    }
    violations
}

fn finished(facts: &Facts) -> Vec<Violation> {
    let memories: HashMap<Key, &MemoryFact> =
        facts.memories.iter().map(|memory| ((memory.project_id, memory.memory_id), memory)).collect();
    let absorbers: HashMap<Key, &StatFact> = facts
        .stats
        .iter()
        .filter(|stat| stat.status == MERGED)
        .map(|stat| ((stat.project_id, stat.memory_id), stat))
        .collect();
    let of_review: HashMap<Key, Uuid> = facts
        .memories
        .iter()
        .filter_map(|memory| Some(((memory.project_id, memory.source_review?), memory.memory_id)))
        .collect();
    let points_to_its_own = |project: Project, memory: Option<Uuid>, review: Option<Uuid>| {
        let own = review.and_then(|review| of_review.get(&(project, review)));
        let into = own.map(|own| absorbers.get(&(project, *own)).map_or(Some(*own), |stat| stat.merged_into));
        let exists = memory.is_some_and(|memory| memories.contains_key(&(project, memory)));
        exists && into == Some(memory)
    };
    let mut violations = Vec::new();
    for state in &facts.states {
        let id = state.trace_id;
        if state.reviewed && !points_to_its_own(state.project_id, state.memory_id, state.review_id) {
            violations
                .push(violation(format!("trace {id} is reviewed and does not point to its review's memory")));
        }
        if state.reviewed && state.ingest != COMPLETED {
            violations.push(violation(format!("trace {id} is reviewed and not completed")));
        }
        if !state.reviewed && state.review_id.is_some() && state.ingest == COMPLETED {
            violations.push(violation(format!("trace {id} is completed, and its review has no memory")));
        }
    }
    violations
}
