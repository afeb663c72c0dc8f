//! Links a run to the memories it had: by receipt, by ids, by memory tags in its messages, or by the latest retrieval
//! of the same key for the same task. Clients need not name them.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use reflect_rules::holdout;
use reflect_store::{InferLink, Linked, NewTraceRow, RetrievalPeriod, ServedReceipt, Store, StoreError};
use reflect_trajectory::{marked_steps, memory_ids};
use reflect_types::{Link, MemoryId, RetrievalId};
use serde_json::Value;

use crate::caller::Visitor;
use crate::project_cache::{self, ProjectCache};
use crate::votes::FOLLOWS;

/// A run that is said to have taken longer has a wrong time.
const LONGEST_RUN: Duration = Duration::from_secs(24 * 60 * 60);
/// A machine whose clock is further ahead has a wrong time.
const MOST_AHEAD: Duration = Duration::from_secs(60);

/// When a run started and ended, by the clock of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTime {
    /// When it started.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
}

/// How the memories of a run are found, besides by what is stored of it.
#[derive(Debug)]
pub(super) struct LinkClues {
    /// The retrievals of its marked steps.
    pub(super) marked: Vec<RetrievalId>,
    /// When its retrieval may have been, if it names none.
    pub(super) period: RetrievalPeriod,
}

impl LinkClues {
    pub(super) fn of(trajectory: &str, ran: Option<RunTime>, now: SystemTime) -> Self {
        Self { marked: marked_retrievals(trajectory), period: period(ran, now) }
    }
}

/// When the retrieval of a run may have been, if the run names none: before it ended. A run that is stored later than it ran
/// must not get the retrieval of the next one.
fn period(ran: Option<RunTime>, now: SystemTime) -> RetrievalPeriod {
    let Some(RunTime { start, end }) = ran else { return RetrievalPeriod::before(now, FOLLOWS) };
    if end == SystemTime::UNIX_EPOCH || end > now + MOST_AHEAD {
        return RetrievalPeriod::before(now, FOLLOWS);
    }
    let earliest = end.checked_sub(LONGEST_RUN).unwrap_or(SystemTime::UNIX_EPOCH);
    let start = start.clamp(earliest, end);
    RetrievalPeriod::between(start.checked_sub(FOLLOWS).unwrap_or(SystemTime::UNIX_EPOCH), end)
}

/// Finds the memories of a run that its messages did not show. If it names no retrieval, that was in `period`. `now`: they are
/// needed before the run is stored.
pub(super) async fn link(
    store: &Store,
    projects: &ProjectCache,
    visitor: &Visitor,
    trace: &mut NewTraceRow,
    period: RetrievalPeriod,
    now: bool,
) -> Result<(), StoreError> {
    if trace.retrieval_id.is_some_and(RetrievalId::is_unrecorded) {
        // The response to the retrieval said so. What it served cannot be proved, so the run moves no memory.
        trace.link = Linked::NONE;
        return Ok(());
    }
    let project = store.project(visitor.project);
    let named = named(&trace.retrieved);
    let shown = std::mem::take(&mut trace.link.memories);
    let task = blake3::hash(trace.task.as_bytes());
    let compared = !is_later_trial(&trace.metadata);
    // The receipt may still be on its way from the process that answered the retrieval.
    let mut receipt = match trace.retrieval_id {
        Some(receipt) => project.receipts().served_or_arriving(receipt).await?,
        None => None,
    };
    let by_receipt = receipt.is_some();
    let names_none = named.is_empty() && shown.is_empty();
    // The client says that no memory was used and names none, so nothing is inferred.
    let says_none = trace.used.as_ref().is_some_and(Vec::is_empty) && named.is_empty();
    // A run whose receipt is lost had that retrieval, and not an earlier one for the same task.
    if trace.retrieval_id.is_none() && !says_none {
        if names_none && !now {
            // The transaction that stores the run looks up the receipt, so it must be stored before.
            project.receipts().flush().await;
            let task_digest = *task.as_bytes();
            trace.link = Linked::NONE;
            trace.infer = Some(InferLink { task_digest, period, compared });
            return Ok(());
        }
        // The receipt says whether memories were withheld, so it is also read if the client names memories.
        if names_none || has_holdout(projects, visitor).await? {
            receipt = project.receipts().last_served(task.as_bytes(), trace.key_id, period).await?;
        }
    }
    let mut linked = linked(named, shown, receipt, by_receipt);
    if matches!(linked.by, Link::Ids | Link::Trajectory) {
        // Such a client knows one memory for each lesson. The run had the lessons of the others too.
        let known = &linked.memories;
        let copies = project.receipts().copies_served(known, task.as_bytes(), trace.key_id, period).await?;
        linked.memories.extend(copies);
    }
    trace.link = if compared { linked } else { Linked { arm: None, ..linked } };
    Ok(())
}

/// Adds the memories that the retrievals of marked steps served. A run of many steps had all of them, whatever else it
/// names. What is inferred from its task must be linked before: it would replace what is added.
pub(super) async fn add_marked(
    store: &Store,
    visitor: &Visitor,
    trace: &mut NewTraceRow,
    marked: &[RetrievalId],
) -> Result<(), StoreError> {
    let project = store.project(visitor.project);
    for retrieval in marked {
        if let Some(receipt) = project.receipts().served_or_arriving(*retrieval).await? {
            add_served(&mut trace.link, receipt);
        }
    }
    Ok(())
}

fn add_served(link: &mut Linked, receipt: ServedReceipt) {
    link.retrieval.get_or_insert(receipt.retrieval_id);
    if !receipt.memories.is_empty() {
        link.memories = once(std::mem::take(&mut link.memories).into_iter().chain(receipt.memories));
        link.by = Link::Receipt;
        link.arm = holdout::arm_with_others(link.arm);
    }
}

/// The retrievals of the marked steps of a run, each once. Ids in another format, and of retrievals without a receipt, are
/// ignored.
fn marked_retrievals(trajectory: &str) -> Vec<RetrievalId> {
    let mut seen = HashSet::new();
    let named = marked_steps(trajectory).into_iter().filter_map(|step| step.retrieval_id);
    let named = named.filter_map(|id| id.trim().parse::<RetrievalId>().ok());
    named.filter(|id| !id.is_unrecorded() && seen.insert(*id)).collect()
}

async fn has_holdout(projects: &ProjectCache, visitor: &Visitor) -> Result<bool, StoreError> {
    let facts = projects.settings_facts(visitor.project).await?;
    Ok(project_cache::settings(&facts.settings).holdout_rate > 0.0)
}

/// Whether a run is a later trial of the same task. It had the lessons of the earlier trial, whatever the holdout
/// decided, so it belongs to neither arm.
fn is_later_trial(metadata: &Value) -> bool {
    metadata["run_id"].is_string() && metadata["trial"].as_u64().is_some_and(|trial| trial > 1)
}

/// The link that the messages of a run show.
pub(super) fn by_trajectory(trajectory: &str) -> Linked {
    linked(Vec::new(), memory_ids(trajectory), None, false)
}

/// Explicit information wins over inferred information.
fn linked(
    named: Vec<MemoryId>,
    shown: Vec<MemoryId>,
    receipt: Option<ServedReceipt>,
    by_receipt: bool,
) -> Linked {
    let arm = receipt.as_ref().and_then(|receipt| receipt.arm(!named.is_empty() || !shown.is_empty()));
    let retrieval = receipt.as_ref().map(|receipt| receipt.retrieval_id);
    let served = receipt.map(|receipt| receipt.memories).unwrap_or_default();
    let (by, memories) = if by_receipt && !(served.is_empty() && (!named.is_empty() || !shown.is_empty())) {
        (Link::Receipt, once(named.into_iter().chain(served)))
    } else if !named.is_empty() {
        (Link::Ids, named)
    } else if !shown.is_empty() {
        (Link::Trajectory, shown)
    } else {
        (Link::Inferred, served)
    };
    let by = if memories.is_empty() { Link::None } else { by };
    Linked { by, memories, retrieval, arm }
}

/// Ids in another format are ignored.
fn named(ids: &[String]) -> Vec<MemoryId> {
    // Duplicates stay: the ledger counts a memory once per review.
    ids.iter().filter_map(|id| id.parse().ok()).collect()
}

/// Each memory once, in order: clients send ids and a receipt that mostly name the same memories.
fn once(memories: impl Iterator<Item = MemoryId>) -> Vec<MemoryId> {
    let mut seen = HashSet::new();
    memories.filter(|memory| seen.insert(*memory)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{Arm, KeyId};
    use serde_json::json;

    fn served(memories: &[MemoryId]) -> ServedReceipt {
        ServedReceipt {
            retrieval_id: RetrievalId::generate(),
            key_id: KeyId::generate(),
            memories: memories.to_vec(),
            found: true,
            degraded: false,
            held_out: memories.is_empty(),
            sampled: false,
        }
    }

    #[test]
    fn each_source_is_named_and_the_surest_wins() {
        let (one, other) = (MemoryId::generate(), MemoryId::generate());
        let by = |named: &[MemoryId], shown: &[MemoryId], receipt, by_receipt| {
            let linked = linked(named.to_vec(), shown.to_vec(), receipt, by_receipt);
            (linked.by, linked.memories)
        };
        assert_eq!(by(&[], &[], Some(served(&[one])), true), (Link::Receipt, vec![one]));
        assert_eq!(by(&[other], &[], Some(served(&[one])), true), (Link::Receipt, vec![other, one]));
        let (both, receipt) = ([other, one], Some(served(&[one, other])));
        assert_eq!(by(&both, &[], receipt, true), (Link::Receipt, vec![other, one]));
        assert_eq!(by(&[one], &[], None, false), (Link::Ids, vec![one]));
        assert_eq!(by(&[], &[one], None, false), (Link::Trajectory, vec![one]));
        assert_eq!(by(&[], &[], Some(served(&[one])), false), (Link::Inferred, vec![one]));
        assert_eq!(by(&[], &[], Some(served(&[])), true), (Link::None, vec![]));
        assert_eq!(by(&[], &[], None, false), (Link::None, vec![]));
    }

    #[test]
    fn a_link_that_is_inferred_when_the_run_is_stored_is_the_same() {
        let lot = ServedReceipt { sampled: true, ..served(&[MemoryId::generate()]) };
        let held_out = ServedReceipt { memories: Vec::new(), held_out: true, ..lot.clone() };
        for receipt in [lot.clone(), held_out.clone()] {
            let now = linked(Vec::new(), Vec::new(), Some(receipt.clone()), false);
            assert_eq!(Linked::inferred(receipt, true), now);
        }
        assert_eq!(Linked::inferred(lot, true).arm, Some(Arm::With));
        assert_eq!(Linked::inferred(held_out, false).arm, None);
    }

    #[test]
    fn a_run_that_is_stored_later_had_a_retrieval_before_its_end() {
        let (second, now) = (Duration::from_secs(1), SystemTime::now());
        let (start, end) = (now - 5000 * second, now - 4000 * second);
        let of = |start, end| period(Some(RunTime { start, end }), now);
        assert_eq!(of(start, end), RetrievalPeriod::between(start - FOLLOWS, end));
        let longest = RetrievalPeriod::between(end - LONGEST_RUN - FOLLOWS, end);
        assert_eq!(of(SystemTime::UNIX_EPOCH, end), longest, "one of its spans has no time");
        let recent = RetrievalPeriod::before(now, FOLLOWS);
        assert_eq!(period(None, now), recent);
        for wrong in [SystemTime::UNIX_EPOCH, now + 120 * second] {
            assert_eq!(of(SystemTime::UNIX_EPOCH, wrong), recent);
        }
    }

    #[test]
    fn the_retrievals_of_marked_steps_add_what_they_served() {
        let (one, other) = (RetrievalId::generate(), RetrievalId::generate());
        let step = |id: String| json!({ "reflect_step": { "task": "t", "action": "a", "retrieval_id": id } });
        let ids =
            [one.to_string(), other.to_string(), one.to_string(), "r-1".into(), one.unrecorded().to_string()];
        let trajectory = Value::from_iter(ids.map(step)).to_string();
        assert_eq!(marked_retrievals(&trajectory), [one, other]);
        assert!(marked_retrievals("[]").is_empty());

        let memories = [MemoryId::generate(), MemoryId::generate()];
        let mut link = linked(vec![memories[0]], Vec::new(), None, false);
        let receipt = served(&memories);
        let retrieval = Some(receipt.retrieval_id);
        add_served(&mut link, receipt);
        add_served(&mut link, served(&[]));
        assert_eq!((link.by, link.memories, link.retrieval), (Link::Receipt, memories.to_vec(), retrieval));
    }

    #[test]
    fn a_run_that_was_held_out_is_not_compared_if_a_marked_step_had_memories() {
        let lot = ServedReceipt { sampled: true, ..served(&[MemoryId::generate()]) };
        let held_out = ServedReceipt { memories: Vec::new(), held_out: true, ..lot.clone() };
        for (receipt, before, after) in
            [(lot, Some(Arm::With), Some(Arm::With)), (held_out, Some(Arm::Without), None)]
        {
            let mut link = Linked::inferred(receipt, true);
            add_served(&mut link, served(&[]));
            assert_eq!(link.arm, before);
            add_served(&mut link, served(&[MemoryId::generate()]));
            assert_eq!(link.arm, after);
        }
    }

    #[test]
    fn a_trial_is_a_later_one_when_it_says_of_which_run_and_that_it_is_not_the_first() {
        let later = |metadata| is_later_trial(&metadata);
        assert!(later(json!({ "run_id": "r", "trial": 2 })));
        assert!(!later(json!({ "run_id": "r", "trial": 1 })));
        // A word that anybody might use alone means nothing.
        assert!(!later(json!({ "trial": 2 })) && !later(json!({ "run_id": "r" })) && !later(json!({})));
        assert!(!later(json!({ "run_id": "r", "trial": "second" })));
    }

    #[test]
    fn memories_are_found_in_messages_however_they_are_quoted() {
        let (one, other) = (MemoryId::generate(), MemoryId::generate());
        let message = format!("<memory id=\"{one}\" q_value=\"0.50\">");
        let plain = serde_json::json!([{ "content": message }]).to_string();
        let nested = serde_json::json!([{ "content": plain }]).to_string();
        let unquoted = format!("<memory id={other}> <memory id='{other}'> <memory id=\"mem-1\"> <memory id=");
        assert_eq!(memory_ids(&plain), [one]);
        assert_eq!(memory_ids(&nested), [one]);
        assert_eq!(memory_ids(&unquoted), [other]);
    }
}
