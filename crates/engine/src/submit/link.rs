//! Which memories a run had: by receipt, by name, by what stands in its messages, or by what the same key
//! was served for the same task shortly before. A client that forgets to say so breaks nothing.

use std::collections::HashSet;
use std::time::Duration;

use reflect_store::{Linked, NewTrace, Served, StoreError};
use reflect_types::{Arm, Link, MemoryId};
use serde_json::Value;

use crate::Engine;
use crate::authenticate::Visitor;
use crate::manage_project;

/// How long after a retrieval a run for the same task is taken to have had its memories.
const FOLLOWS: Duration = Duration::from_secs(60 * 60);
/// What every client writes before a memory that it puts into a prompt.
const MARK: &str = "<memory id=";
const LONGEST_ID: usize = 36;
const MOST_FOUND: usize = 100;

impl Engine {
    /// Finds out which memories a run had, as far as its messages alone did not say.
    pub(super) async fn link(&self, visitor: &Visitor, trace: &NewTrace) -> Result<Linked, StoreError> {
        let project = self.store.project(visitor.project);
        let named = named(&trace.retrieved);
        let shown = trace.link.memories.clone();
        let mut receipt = match trace.retrieval_id {
            Some(receipt) => project.served(receipt).await?,
            None => None,
        };
        let by_receipt = receipt.is_some();
        // Used none and names none: it had none to answer for, and nothing has to be guessed.
        let says_none = trace.used.as_ref().is_some_and(Vec::is_empty) && named.is_empty();
        // What was decided by lot stands on the receipt, so that it is looked for even where memories are named.
        let settings = manage_project::read(&self.facts(visitor.project).await?.settings);
        if receipt.is_none()
            && !says_none
            && ((named.is_empty() && shown.is_empty()) || settings.holdout_rate > 0.0)
        {
            let digest = blake3::hash(trace.task.as_bytes());
            receipt = project.last_served(digest.as_bytes(), trace.key_id, FOLLOWS).await?;
        }
        let linked = linked(named, shown, receipt, by_receipt);
        Ok(if is_later_trial(&trace.metadata) { Linked { arm: None, ..linked } } else { linked })
    }
}

/// Whether a run tries again what an earlier trial of it did not get done. It was given what that one taught, whatever
/// the lot had said, so it is on neither side.
fn is_later_trial(metadata: &Value) -> bool {
    metadata["run_id"].is_string() && metadata["trial"].as_u64().is_some_and(|trial| trial > 1)
}

/// What the messages of a run say for themselves.
pub(super) fn by_trajectory(trajectory: &str) -> Linked {
    linked(Vec::new(), shown_in(trajectory), None, false)
}

/// What a run says for itself comes first; what has to be guessed comes last.
fn linked(named: Vec<MemoryId>, shown: Vec<MemoryId>, receipt: Option<Served>, by_receipt: bool) -> Linked {
    let arm = receipt.as_ref().and_then(|receipt| arm(receipt, !named.is_empty() || !shown.is_empty()));
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

/// On which side a run is that follows this receipt. On neither where nothing was found, where the search
/// was poorer than it should have been, or where a run that was to go without had memories from elsewhere.
fn arm(receipt: &Served, says_it_had_memories: bool) -> Option<Arm> {
    if !receipt.by_lot || !receipt.found || receipt.degraded {
        return None;
    }
    match (receipt.held_out, says_it_had_memories) {
        (true, true) => None,
        (true, false) => Some(Arm::Without),
        (false, _) => Some(Arm::With),
    }
}

/// What is no id of ours can name no memory of ours.
fn named(ids: &[String]) -> Vec<MemoryId> {
    // As often as the client says it: that a memory counts once per review is the ledger's to see to.
    ids.iter().filter_map(|id| id.parse().ok()).collect()
}

/// Each memory once, where it came first: clients send ids and receipt, which mostly say the same.
fn once(memories: impl Iterator<Item = MemoryId>) -> Vec<MemoryId> {
    let mut seen = HashSet::new();
    memories.filter(|memory| seen.insert(*memory)).collect()
}

/// The ids of memories in the prompt, however often its quotes were escaped on the way.
fn shown_in(trajectory: &str) -> Vec<MemoryId> {
    let mut found = Vec::new();
    for (at, _) in trajectory.match_indices(MARK) {
        let rest = trajectory[at + MARK.len()..].trim_start_matches(['\\', '"', '\'']);
        let id = rest.get(..LONGEST_ID).and_then(|id| id.parse().ok());
        found.extend(id.filter(|id| !found.contains(id)));
        if found.len() == MOST_FOUND {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{KeyId, RetrievalId};
    use serde_json::json;

    fn served(memories: &[MemoryId]) -> Served {
        Served {
            retrieval_id: RetrievalId::generate(),
            key_id: KeyId::generate(),
            memories: memories.to_vec(),
            found: true,
            degraded: false,
            held_out: memories.is_empty(),
            by_lot: false,
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
    fn only_what_was_decided_by_lot_counts_in_a_comparison() {
        let lot = Served { by_lot: true, ..served(&[MemoryId::generate()]) };
        assert_eq!(arm(&lot, true), Some(Arm::With));
        assert_eq!(arm(&Served { degraded: true, ..lot.clone() }, true), None);
        assert_eq!(arm(&Served { by_lot: false, ..lot.clone() }, true), None);
        let held_out = Served { memories: Vec::new(), held_out: true, ..lot };
        assert_eq!(arm(&held_out, false), Some(Arm::Without));
        assert_eq!(arm(&held_out, true), None);
        assert_eq!(arm(&Served { found: false, ..held_out }, false), None);
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
        assert_eq!(shown_in(&plain), [one]);
        assert_eq!(shown_in(&nested), [one]);
        assert_eq!(shown_in(&unquoted), [other]);
    }
}
