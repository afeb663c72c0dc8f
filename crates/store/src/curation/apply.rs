//! Changes to memories. An action stores its changes in the curation ledger, and the current state is computed from
//! that ledger.

use std::collections::{BTreeSet, HashMap, HashSet};

use reflect_rules::credit::Share;
use reflect_types::{CrashPoint, MemoryId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CurationStore;
use crate::actions;
use crate::audit::AuditActor;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::ledger;
use crate::lessons::{self, AnsweredQuestion};
use crate::memory_changes::{
    MemoryChange, MemoryState, NewText, Noted, apply_changes, following, insert_text, lock_memories,
    lock_with_absorbed,
};

/// Decides the changes to locked memories from their states, or why nothing is changed. A request that regroups shows it also the
/// states of what is merged into the memories.
pub type Decide<'a> =
    dyn Fn(&[MemoryState]) -> Result<Vec<(MemoryId, MemoryChange)>, StoreError> + Send + Sync + 'a;

/// A request to change memories.
#[derive(Debug)]
pub struct CurationRequest<'a> {
    /// What is done, as the audit log names it.
    pub kind: &'static str,
    /// Details for the audit log: numbers and ids.
    pub summary: Value,
    /// The memories.
    pub memories: &'a [MemoryId],
    /// The action that this request continues.
    pub part_of: Option<ActionId>,
    /// New texts for some of the memories.
    pub texts: &'a [NewText],
    /// Whether the memories get another lesson. What is merged into them is then locked too, and follows them.
    pub regroups: bool,
    /// The question that it answers. Such a request is an action also if no memory changes.
    pub answers: Option<AnsweredQuestion>,
}

/// The result of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curated {
    /// The action. `None` if nothing had to change.
    pub action_id: Option<ActionId>,
    /// The changed memories.
    pub changed: Vec<MemoryId>,
}

impl CurationStore<'_> {
    /// Changes memories, all or nothing.
    pub async fn apply(
        &self,
        request: &CurationRequest<'_>,
        actor: &AuditActor,
        decide: &Decide<'_>,
    ) -> Result<Curated, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(action) = request.part_of
            && actions::lock(&mut transaction, action).await?.is_undone
        {
            return Err(StoreError::Conflict { what: "the action was undone before it was complete" });
        }
        let states = lock_states(&mut transaction, request).await?;
        let mut changes = decide(&states)?;
        changes.extend(following(&changes, &states));
        if changes.is_empty() && request.texts.is_empty() && request.answers.is_none() {
            return Ok(Curated { action_id: request.part_of, changed: Vec::new() });
        }
        set_origins(&mut transaction, &mut changes, request.memories).await?;
        let action = match request.part_of {
            Some(action) => action,
            None => actions::begin(&mut transaction, actor, request.kind, &request.summary).await?,
        };
        if let Some(answered) = request.answers {
            lessons::record_answer(&mut transaction, answered, action, &actor.name).await?;
        }
        let mut noted: Vec<Noted> = Vec::with_capacity(changes.len());
        for text in request.texts {
            noted.push(insert_text(&mut transaction, action, text).await?);
        }
        noted.extend(noted_changes(&changes, &states)?);
        apply_changes(&mut transaction, action, &noted).await?;
        transaction.commit_at(CrashPoint::CurationCommit).await?;
        let changed: BTreeSet<MemoryId> = noted.iter().map(|noted| noted.memory_id).collect();
        Ok(Curated { action_id: Some(action), changed: changed.into_iter().collect() })
    }
}

/// Takes the locks of a request in the common order, and returns the states of the memories that may change.
async fn lock_states(
    transaction: &mut ProjectTx,
    request: &CurationRequest<'_>,
) -> Result<Vec<MemoryState>, StoreError> {
    lessons::lock_runs(transaction, request.memories).await?;
    let states = match request.regroups {
        true => lock_with_absorbed(transaction, request.memories).await?,
        false => lock_memories(transaction, request.memories).await?,
    };
    let held: HashSet<MemoryId> = states.iter().map(|state| state.memory_id).collect();
    if !request.memories.iter().all(|memory| held.contains(memory)) {
        return Err(StoreError::NotFound { what: "memory" });
    }
    if let Some(answered) = request.answers {
        lessons::lock_question(transaction, answered.question_id).await?;
    }
    Ok(states)
}

/// Changes of locked memories as they are stored.
pub(super) fn noted_changes(
    changes: &[(MemoryId, MemoryChange)],
    states: &[MemoryState],
) -> Result<Vec<Noted>, StoreError> {
    let states: HashMap<MemoryId, &MemoryState> =
        states.iter().map(|state| (state.memory_id, state)).collect();
    let noted = changes.iter().map(|(memory, change)| {
        let state = states.get(memory).ok_or(StoreError::NotFound { what: "memory" })?;
        Ok(change.noted(state))
    });
    noted.collect()
}

/// Records how far the ledgers of merged memories have come, so that their shares can be computed again.
async fn set_origins(
    transaction: &mut ProjectTx,
    changes: &mut [(MemoryId, MemoryChange)],
    memories: &[MemoryId],
) -> Result<(), StoreError> {
    let pooled = changes.iter_mut().filter_map(|(_, change)| match change {
        MemoryChange::Pooled(shares) => Some(shares),
        _ => None,
    });
    let shares: Vec<&mut Share> = pooled.flatten().collect();
    if shares.is_empty() {
        return Ok(());
    }
    let origins = ledger::origins(transaction, memories).await?;
    for share in shares {
        share.origin = origins.get(&share.memory_id).copied();
    }
    Ok(())
}
