//! What each curation action changes, and when it is refused. Pure rules.

use reflect_rules::curation::{CurationEffect, UNTRUSTED_CURATION, may_curate};
use reflect_store::{MemoryChange, MemoryState, Presence, StoreError};
use reflect_types::{MemoryId, Trust};

/// A change of one memory that needs no further input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurationAction {
    /// The memory is no longer served.
    Disable,
    /// Restores a disabled or deleted memory.
    Enable,
    /// The memory is served first, for every query.
    Pin,
    /// Removes the pin.
    Unpin,
    /// The memory is not served until it is released.
    Quarantine,
    /// Ends the quarantine.
    Release,
    /// Deletes the memory. `Enable` restores it.
    Delete,
}

impl CurationAction {
    /// The name of the action in the audit log.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Disable => "memory.disable",
            Self::Enable => "memory.enable",
            Self::Pin => "memory.pin",
            Self::Unpin => "memory.unpin",
            Self::Quarantine => "memory.quarantine",
            Self::Release => "memory.release",
            Self::Delete => "memory.delete",
        }
    }

    const fn effect(self) -> CurationEffect {
        match self {
            Self::Enable | Self::Pin | Self::Release => CurationEffect::Promotes,
            Self::Disable | Self::Unpin | Self::Quarantine | Self::Delete => CurationEffect::Changes,
        }
    }
}

/// Whether a caller of this trust may apply the action to the memory.
pub(super) fn may_apply(action: CurationAction, trust: Trust, memory: &MemoryState) -> bool {
    may_curate(trust, action.effect(), memory.trust, memory.quarantined)
}

/// Refuses a caller of this trust that may not change the text of one of the memories, or merge them.
pub(super) fn check_may_rewrite(trust: Trust, memories: &[MemoryState]) -> Result<(), StoreError> {
    let may =
        |memory: &MemoryState| may_curate(trust, CurationEffect::Changes, memory.trust, memory.quarantined);
    if memories.iter().all(may) { Ok(()) } else { Err(untrusted()) }
}

/// The refusal of a change by an untrusted caller.
pub(super) const fn untrusted() -> StoreError {
    StoreError::Forbidden { what: UNTRUSTED_CURATION }
}

/// The refusal of a change that contradicts the state of a memory.
pub(super) const fn conflict(what: &'static str) -> StoreError {
    StoreError::Conflict { what }
}

const MERGED: &str = "the memory was merged into another one; undo that action first";
const DELETED: &str = "the memory is deleted; enable it first";
const ERASED: &str = "the memory is erased";
const RETIRED: &str = "the memory is retired: its review no longer counts";

/// The change that an action makes to a memory; `None` if the memory is already in that state.
pub(super) fn change(
    action: CurationAction,
    memory: &MemoryState,
) -> Result<Option<MemoryChange>, &'static str> {
    let presence = memory.presence;
    let to = |wanted: Presence| (presence != wanted).then_some(MemoryChange::Presence(wanted));
    match (action, presence) {
        (CurationAction::Delete, Presence::Erased) => Ok(None),
        (_, Presence::Erased) => Err(ERASED),
        (CurationAction::Delete, _) => Ok(to(Presence::Deleted)),
        (
            CurationAction::Enable | CurationAction::Disable | CurationAction::Pin,
            Presence::Merged(_) | Presence::Absorbed(_),
        ) => Err(MERGED),
        (CurationAction::Enable, _) => Ok(to(Presence::Kept)),
        (CurationAction::Disable | CurationAction::Pin, Presence::Deleted) => Err(DELETED),
        (CurationAction::Disable, _) => Ok(to(Presence::Disabled)),
        (CurationAction::Pin, Presence::Disabled | Presence::Superseded(_)) => {
            Err("the memory is disabled; enable it first")
        }
        (CurationAction::Pin, _) if memory.retired => Err(RETIRED),
        (CurationAction::Pin, _) => Ok((!memory.pinned).then_some(MemoryChange::Pinned(true))),
        (CurationAction::Unpin, _) => Ok(memory.pinned.then_some(MemoryChange::Pinned(false))),
        (CurationAction::Quarantine, _) => {
            Ok((!memory.quarantined).then_some(MemoryChange::Quarantined(true)))
        }
        (CurationAction::Release, _) => Ok(memory.quarantined.then_some(MemoryChange::Quarantined(false))),
    }
}

/// Whether the text of a memory may be changed.
pub(super) const fn may_edit(memory: &MemoryState) -> Result<(), &'static str> {
    match memory.presence {
        Presence::Kept | Presence::Disabled | Presence::Superseded(_) => Ok(()),
        Presence::Deleted => Err(DELETED),
        Presence::Merged(_) | Presence::Absorbed(_) => Err(MERGED),
        Presence::Erased => Err(ERASED),
    }
}

/// Whether the memory that speaks for an edited lesson may get its text. It may speak although it is not served.
pub(super) const fn may_speak(memory: &MemoryState) -> Result<(), &'static str> {
    match memory.presence {
        Presence::Erased => Err(ERASED),
        _ => Ok(()),
    }
}

/// The changes of a merge. Memories that are already merged into the survivor are skipped.
pub(super) fn merge(
    survivor: MemoryId,
    memories: &[MemoryState],
) -> Result<Vec<(MemoryId, MemoryChange)>, &'static str> {
    let (mut changes, mut shares) = (Vec::new(), Vec::new());
    for memory in memories {
        if memory.memory_id == survivor {
            may_edit(memory)?;
            if memory.retired {
                return Err(RETIRED);
            }
            continue;
        }
        if matches!(memory.presence, Presence::Merged(into) | Presence::Absorbed(into) if into == survivor) {
            continue;
        }
        may_edit(memory)?;
        changes.push((memory.memory_id, MemoryChange::Presence(Presence::Merged(survivor))));
        shares.push(memory.share());
    }
    if !shares.is_empty() {
        changes.push((survivor, MemoryChange::Pooled(shares)));
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{Credit, MemoryStatus, ReviewId};

    fn memory(presence: Presence) -> MemoryState {
        MemoryState {
            memory_id: MemoryId::generate(),
            presence,
            quarantined: false,
            pinned: false,
            retired: false,
            status: MemoryStatus::Active,
            trust: Trust::Normal,
            q: 0.5,
            reviews: 0,
            passes: 0,
            credit: Credit::START,
            lesson_id: None,
        }
    }

    #[test]
    fn what_is_so_already_is_not_changed() {
        assert_eq!(change(CurationAction::Disable, &memory(Presence::Disabled)), Ok(None));
        assert_eq!(change(CurationAction::Enable, &memory(Presence::Kept)), Ok(None));
        assert_eq!(change(CurationAction::Delete, &memory(Presence::Erased)), Ok(None));
        assert_eq!(change(CurationAction::Unpin, &memory(Presence::Kept)), Ok(None));
        assert_eq!(change(CurationAction::Release, &memory(Presence::Kept)), Ok(None));
    }

    #[test]
    fn a_deleted_memory_comes_back_and_a_merged_or_erased_one_does_not() {
        let other = MemoryId::generate();
        assert_eq!(
            change(CurationAction::Enable, &memory(Presence::Deleted)),
            Ok(Some(MemoryChange::Presence(Presence::Kept)))
        );
        assert!(change(CurationAction::Enable, &memory(Presence::Merged(other))).is_err());
        assert!(change(CurationAction::Enable, &memory(Presence::Erased)).is_err());
        assert!(change(CurationAction::Pin, &memory(Presence::Disabled)).is_err());
    }

    #[test]
    fn a_superseded_memory_is_a_disabled_one_that_can_be_enabled_and_an_absorbed_one_is_merged() {
        let superseded = memory(Presence::Superseded(ReviewId::generate()));
        let absorbed = memory(Presence::Absorbed(MemoryId::generate()));
        assert_eq!(
            change(CurationAction::Enable, &superseded),
            Ok(Some(MemoryChange::Presence(Presence::Kept)))
        );
        assert!(change(CurationAction::Pin, &superseded).is_err());
        assert!(may_edit(&superseded).is_ok());
        assert!(change(CurationAction::Enable, &absorbed).is_err());
        assert!(may_edit(&absorbed).is_err() && may_speak(&absorbed).is_ok());
    }

    #[test]
    fn a_merge_names_the_survivor_and_brings_along_what_the_others_were_worth() {
        let (survivor, other) = (memory(Presence::Kept), memory(Presence::Disabled));
        let earlier = memory(Presence::Merged(survivor.memory_id));

        let changes = merge(survivor.memory_id, &[survivor, other, earlier]).unwrap();

        assert_eq!(
            changes,
            [
                (other.memory_id, MemoryChange::Presence(Presence::Merged(survivor.memory_id))),
                (survivor.memory_id, MemoryChange::Pooled(vec![other.share()])),
            ]
        );
        assert_eq!(merge(survivor.memory_id, &[survivor, earlier]), Ok(Vec::new()));
        assert!(merge(survivor.memory_id, &[survivor, memory(Presence::Deleted)]).is_err());
        let retired = MemoryState { retired: true, ..survivor };
        assert!(merge(survivor.memory_id, &[retired, other]).is_err());
    }
}
