//! Changes all memories of a selection, or reports what would change.

use reflect_store::{
    ActionId, AuditActor, CurationRequest, MemoryChange, MemoryOrder, MemorySelector, MemoryState,
    ProjectCtx, StoreError,
};
use reflect_types::{MemoryId, MemorySort, Trust};
use serde_json::{Value, json};

use super::rule::{self, CurationAction};
use super::service::Curation;
use crate::caller::Visitor;
use crate::error::EngineError;

/// How many memories are changed in one transaction. Their rows are locked until it ends, and reviews wait for them.
const AT_ONCE: i64 = 1000;
const MOST_IDS: usize = 1000;
/// How many changed memories the result lists.
const NAMED: usize = 20;

/// A change of many memories.
#[derive(Debug, Clone)]
pub struct BulkCuration {
    /// The memories.
    pub selection: MemorySelector,
    /// The change.
    pub action: CurationAction,
    /// Whether to report only, without a change.
    pub dry_run: bool,
    /// Confirms that a selection of all memories is intended.
    pub all: bool,
}

/// The result of a bulk change or of a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkCurationOutcome {
    /// The action; `None` if nothing changed.
    pub action_id: Option<ActionId>,
    /// How many memories the selection matches.
    pub matched: u64,
    /// How many of them change. The others are already in that state, or cannot be changed.
    pub changed: u64,
    /// The first memories that change.
    pub first: Vec<MemoryId>,
}

impl Curation {
    /// Changes all memories of a selection, in several transactions under one action. A dry run changes nothing and
    /// reports what would change.
    pub async fn apply_to_selection(
        &self,
        visitor: &Visitor,
        bulk: &BulkCuration,
        actor: &AuditActor,
    ) -> Result<BulkCurationOutcome, EngineError> {
        let BulkCuration { selection, action, dry_run, all } = bulk;
        if *selection == MemorySelector::default() && !all {
            return Err(EngineError::invalid("filter", "is empty; send `all: true` to change every memory"));
        }
        if *action == CurationAction::Pin {
            return Err(EngineError::invalid(
                "action",
                "must not be pin: at most five memories can be pinned",
            ));
        }
        let project = self.store.project(visitor.project);
        check_ids(&project, selection).await?;
        let order =
            MemoryOrder { sort: MemorySort::Newest, ranking: self.projects.ranking(visitor.project).await? };
        let mut outcome = BulkCurationOutcome::default();
        let mut after = None;
        loop {
            let memories = project.memories().matching(selection, order, after, AT_ONCE).await?;
            let Some(last) = memories.last() else { break };
            after = Some(*last);
            outcome.matched += memories.len() as u64;
            let mut changed = match dry_run {
                true => {
                    let states = project.memories().states(&memories).await?;
                    changes(*action, visitor.trust, &states).into_iter().map(|(memory, _)| memory).collect()
                }
                false => {
                    let request = CurationRequest {
                        kind: action.kind(),
                        summary: json!({ "filter": summary(selection) }),
                        memories: &memories,
                        part_of: outcome.action_id,
                        texts: &[],
                        regroups: false,
                        answers: None,
                    };
                    let decide = |states: &[MemoryState]| Ok(changes(*action, visitor.trust, states));
                    let curated = project.curation().apply(&request, actor, &decide).await?;
                    outcome.action_id = curated.action_id;
                    curated.changed
                }
            };
            outcome.changed += changed.len() as u64;
            changed.sort_unstable_by(|one, other| other.cmp(one));
            outcome.first.extend(changed.into_iter().take(NAMED - outcome.first.len()));
        }
        self.projects.invalidate(visitor.project).await;
        Ok(outcome)
    }
}

/// An id that does not exist in the project is an error: a caller that lists ids means all of them.
async fn check_ids(project: &ProjectCtx, selection: &MemorySelector) -> Result<(), EngineError> {
    let Some(ids) = &selection.ids else { return Ok(()) };
    if ids.len() > MOST_IDS {
        return Err(EngineError::invalid("filter.ids", "must not name more than 1000 memories"));
    }
    let mut ids = ids.clone();
    ids.sort();
    ids.dedup();
    match project.memories().states(&ids).await?.len() == ids.len() {
        true => Ok(()),
        false => Err(StoreError::NotFound { what: "memory" }.into()),
    }
}

/// A change that would be an error for a single memory is skipped here.
fn changes(action: CurationAction, trust: Trust, states: &[MemoryState]) -> Vec<(MemoryId, MemoryChange)> {
    let changed = |state: &MemoryState| Some((state.memory_id, rule::change(action, state).ok()??));
    states.iter().filter(|state| rule::may_apply(action, trust, state)).filter_map(changed).collect()
}

/// The selection as the action stores it, without the search text.
fn summary(selection: &MemorySelector) -> Value {
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
        "same_lesson_as": selection.same_lesson_as,
        "lesson_id": selection.lesson,
        "superseded": selection.superseded,
    });
    if let Value::Object(fields) = &mut summary {
        fields.retain(|_, value| !value.is_null());
    }
    summary
}
