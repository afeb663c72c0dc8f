//! Doing something to all memories that a selection describes, or finding out what that would be.

use reflect_store::{
    ActionId, Actor, Care, Change, MemorySelection, MemorySort, MemoryState, ProjectCtx, StoreError,
};
use reflect_types::MemoryId;
use serde_json::{Value, json};

use super::{Verb, rule};
use crate::authenticate::Visitor;
use crate::{Engine, EngineError};

/// How many memories are changed in one transaction. They are held until its end, and reviews wait for them.
const AT_ONCE: i64 = 1000;
const MOST_IDS: usize = 1000;
/// How many of them are named.
const NAMED: usize = 20;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Bulk {
    /// Which memories.
    pub selection: MemorySelection,
    /// What is done to them.
    pub verb: Verb,
    /// Whether to say only what would be.
    pub dry_run: bool,
    /// Whether a selection that describes every memory is meant so.
    pub all: bool,
}

/// What was done, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkOutcome {
    /// The action; none when nothing was changed.
    pub action_id: Option<ActionId>,
    /// How many memories the selection describes.
    pub matched: u64,
    /// How many of them it changes. The others are so already, or cannot be changed this way.
    pub changed: u64,
    /// The first of those that it changes.
    pub first: Vec<MemoryId>,
}

impl Engine {
    /// Does something to all memories of a selection, some at a time under one action. A dry run changes
    /// nothing and says what would be.
    pub async fn care_for_all(
        &self,
        visitor: &Visitor,
        bulk: &Bulk,
        actor: &Actor,
    ) -> Result<BulkOutcome, EngineError> {
        let Bulk { selection, verb, dry_run, all } = bulk;
        if *selection == MemorySelection::default() && !all {
            return Err(EngineError::invalid(
                "filter",
                "is empty; send `all: true` if every memory is meant",
            ));
        }
        if *verb == Verb::Pin {
            return Err(EngineError::invalid("action", "must not be pin: at most five memories are pinned"));
        }
        let project = self.store.project(visitor.project);
        check_ids(&project, selection).await?;
        let mut outcome = BulkOutcome::default();
        let mut after = None;
        loop {
            let memories = project.matching_memories(selection, MemorySort::Newest, after, AT_ONCE).await?;
            let Some(last) = memories.last() else { break };
            after = Some(*last);
            outcome.matched += memories.len() as u64;
            let mut changed = match dry_run {
                true => {
                    let states = project.memory_states(&memories).await?;
                    changes(*verb, &states).into_iter().map(|(memory, _)| memory).collect()
                }
                false => {
                    let care = Care {
                        kind: verb.kind(),
                        summary: json!({ "filter": summary(selection) }),
                        memories: &memories,
                        part_of: outcome.action_id,
                        text: None,
                    };
                    let decide = |states: &[MemoryState]| Ok(changes(*verb, states));
                    let cared = project.care(&care, actor, &decide).await?;
                    outcome.action_id = cared.action_id;
                    cared.changed
                }
            };
            outcome.changed += changed.len() as u64;
            changed.sort_unstable_by(|one, other| other.cmp(one));
            outcome.first.extend(changed.into_iter().take(NAMED - outcome.first.len()));
        }
        self.forget_pins(visitor).await;
        Ok(outcome)
    }
}

/// Ids that are not there, or another project's, are an error: whoever names memories means all of them.
async fn check_ids(project: &ProjectCtx, selection: &MemorySelection) -> Result<(), EngineError> {
    let Some(ids) = &selection.ids else { return Ok(()) };
    if ids.len() > MOST_IDS {
        return Err(EngineError::invalid("filter.ids", "must not name more than 1000 memories"));
    }
    let mut ids = ids.clone();
    ids.sort();
    ids.dedup();
    match project.memory_states(&ids).await?.len() == ids.len() {
        true => Ok(()),
        false => Err(StoreError::NotFound { what: "memory" }.into()),
    }
}

/// Where a single memory would be refused, it is passed over here.
fn changes(verb: Verb, states: &[MemoryState]) -> Vec<(MemoryId, Change)> {
    let changed = |state: &MemoryState| Some((state.memory_id, rule::change(verb, state).ok()??));
    states.iter().filter_map(changed).collect()
}

/// The selection, as the action keeps it: without the words that were looked for.
fn summary(selection: &MemorySelection) -> Value {
    let words = |words: Vec<&'static str>| (!words.is_empty()).then_some(words);
    let mut summary = json!({
        "ids": selection.ids.as_ref().map(Vec::len),
        "status": selection.status.as_ref().and_then(|all| words(all.iter().map(|one| one.as_str()).collect())),
        "origin": selection.origin.as_ref().and_then(|all| words(all.iter().map(|one| one.as_str()).collect())),
        "pinned": selection.pinned,
        "utility_below": selection.utility_below,
        "utility_above": selection.utility_above,
        "credit_below": selection.credit_below,
        "credit_above": selection.credit_above,
        "evidence_at_least": selection.evidence_at_least,
        "author_key_id": selection.author_key,
        "source_trace_id": selection.source_trace,
        "created_after": selection.created_after,
        "created_before": selection.created_before,
        "text": selection.text.is_some().then_some(true),
    });
    if let Value::Object(fields) = &mut summary {
        fields.retain(|_, value| !value.is_null());
    }
    summary
}
