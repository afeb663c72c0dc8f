//! I4: a review has at most one memory, the memory is complete, and a finished trace points to it.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::facts::{Facts, Key, MemoryFact, Project};
use super::{Invariant, Violation};

/// `retired` in `memory_stat`.
const RETIRED: i16 = 2;
/// `completed` in `trace_state`.
const COMPLETED: i16 = 2;

fn violation(what: String) -> Violation {
    Violation::new(Invariant::I4, what)
}

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let mut violations = one_per_review(facts);
    violations.extend(parts(facts));
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
    let status: HashMap<Key, i16> =
        facts.stats.iter().map(|stat| ((stat.project_id, stat.memory_id), stat.status)).collect();
    let live: HashSet<Key> = facts
        .reviews
        .iter()
        .filter(|review| review.live)
        .map(|review| (review.project_id, review.review_id))
        .collect();
    let spaces: HashMap<Project, &[i16]> =
        facts.projects.iter().map(|project| (project.project_id, project.write_spaces.as_slice())).collect();
    let mut placed: HashMap<Key, Vec<i16>> = HashMap::new();
    for vector in &facts.vectors {
        placed.entry((vector.project_id, vector.memory_id)).or_default().push(vector.space_id);
    }
    let mut violations = Vec::new();
    for memory in &facts.memories {
        let (id, key) = (memory.memory_id, (memory.project_id, memory.memory_id));
        let Some(status) = status.get(&key) else {
            violations.push(violation(format!("memory {id} has no utility")));
            continue;
        };
        let in_use = memory.source_review.is_none_or(|review| live.contains(&(memory.project_id, review)));
        if in_use == (*status == RETIRED) {
            violations
                .push(violation(format!("memory {id} has status {status}, its review is live: {in_use}")));
        }
        let wanted = if in_use { spaces.get(&memory.project_id).copied().unwrap_or_default() } else { &[] };
        let mut has = placed.remove(&key).unwrap_or_default();
        has.sort_unstable();
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        if has != wanted {
            violations
                .push(violation(format!("memory {id} has vectors in the spaces {has:?} and not {wanted:?}")));
        }
    }
    violations.extend(placed.keys().map(|(_, id)| violation(format!("a vector is left of no memory {id}"))));
    let memories = facts.memory_keys();
    let strays = status.keys().filter(|key| !memories.contains(key));
    violations.extend(strays.map(|(_, id)| violation(format!("a utility is left of no memory {id}"))));
    violations
}

fn finished(facts: &Facts) -> Vec<Violation> {
    let memories: HashMap<Key, &MemoryFact> =
        facts.memories.iter().map(|memory| ((memory.project_id, memory.memory_id), memory)).collect();
    let points_to_its_own = |project: Project, memory: Option<Uuid>, review: Option<Uuid>| {
        let memory = memory.and_then(|memory| memories.get(&(project, memory)));
        memory.is_some_and(|memory| memory.source_review == review && review.is_some())
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
