//! I6: no row refers to another project, and no query was served another project's memory.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::facts::{Facts, Key, Project};
use super::{Invariant, Violation};
use crate::client::Log;

fn violation(what: String) -> Violation {
    Violation::new(Invariant::I6, what)
}

pub(super) fn check(facts: &Facts, log: &Log) -> Vec<Violation> {
    let traces: HashSet<Key> = facts.traces.iter().map(|trace| (trace.project_id, trace.trace_id)).collect();
    let reviews: HashSet<Key> =
        facts.reviews.iter().map(|review| (review.project_id, review.review_id)).collect();
    let (memories, erased) = (facts.memory_keys(), facts.erased_traces());
    let mut violations = Vec::new();
    // Reviews and memories stay when retention removes their run.
    let kept = |project: Project, trace: Option<Uuid>| trace.filter(|id| !facts.is_expired(project, *id));
    let mut refers = |known: &HashSet<Key>, what: &str, project: Project, id: Option<Uuid>| {
        if let Some(id) = id.filter(|id| !known.contains(&(project, *id))) {
            violations.push(violation(format!("{what} of project {project} names {id}, which is not in it")));
        }
    };
    for state in &facts.states {
        refers(&traces, "a trace's state", state.project_id, Some(state.trace_id));
        refers(&reviews, "a trace's state", state.project_id, state.review_id);
        refers(&memories, "a trace's state", state.project_id, state.memory_id);
    }
    for review in &facts.reviews {
        let trace = kept(review.project_id, Some(review.trace_id));
        refers(&traces, "a review", review.project_id, trace);
    }
    for event in &facts.events {
        refers(&reviews, "the ledger", event.project_id, Some(event.review_id));
        refers(&memories, "the ledger", event.project_id, Some(event.memory_id));
    }
    for memory in &facts.memories {
        let trace = memory.source_trace.map(|trace| (memory.project_id, trace));
        // The reviews of a deleted run are deleted too, and its memories stay.
        if !trace.is_some_and(|trace| erased.contains(&trace)) {
            refers(&reviews, "a memory", memory.project_id, memory.source_review);
        }
        refers(&traces, "a memory", memory.project_id, kept(memory.project_id, memory.source_trace));
    }
    for stat in &facts.stats {
        refers(&memories, "a lesson", stat.project_id, stat.lesson_id);
        refers(&memories, "an absorbed memory", stat.project_id, stat.merged_into);
        refers(&reviews, "a superseded memory", stat.project_id, stat.superseded_by);
    }
    for receipt in &facts.receipts {
        for memory in &receipt.memory_ids {
            refers(&memories, "a receipt", receipt.project_id, Some(*memory));
        }
    }
    violations.extend(served(facts, log, &memories));
    violations
}

fn served(facts: &Facts, log: &Log, memories: &HashSet<Key>) -> Vec<Violation> {
    let numbers: HashMap<&str, Project> =
        facts.projects.iter().map(|project| (project.slug.as_str(), project.project_id)).collect();
    let strangers = log.served.iter().filter(|(project, memory)| {
        !numbers.get(project.as_str()).is_some_and(|number| memories.contains(&(*number, *memory)))
    });
    strangers
        .map(|(project, memory)| {
            violation(format!("{project} was served memory {memory}, which is not its own"))
        })
        .collect()
}
