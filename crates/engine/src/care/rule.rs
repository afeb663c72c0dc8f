//! What each word of care does to a memory, and when it is refused. Pure rules.

use reflect_store::{Change, MemoryState, Presence};
use reflect_types::MemoryId;

/// Something that is done to one memory without further words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Takes it out of use.
    Disable,
    /// Brings it back after it was disabled or deleted.
    Enable,
    /// Answers every question with it first.
    Pin,
    /// Ends that.
    Unpin,
    /// Serves it no more until somebody vouches for it.
    Quarantine,
    /// Vouches for it.
    Release,
    /// Deletes it; it can still be brought back.
    Delete,
}

impl Verb {
    /// The word of the audit log.
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
}

const MERGED: &str = "the memory was merged into another one; undo the merge first";
const DELETED: &str = "the memory is deleted; enable it first";
const ERASED: &str = "the memory is erased";
const RETIRED: &str = "the memory is retired: the review that it came of counts no more";

/// What a verb changes about a memory; none when it is so already.
pub(super) fn change(verb: Verb, memory: &MemoryState) -> Result<Option<Change>, &'static str> {
    let presence = memory.presence;
    let to = |wanted: Presence| (presence != wanted).then_some(Change::Presence(wanted));
    match (verb, presence) {
        (Verb::Delete, Presence::Erased) => Ok(None),
        (_, Presence::Erased) => Err(ERASED),
        (Verb::Delete, _) => Ok(to(Presence::Deleted)),
        (Verb::Enable | Verb::Disable | Verb::Pin, Presence::Merged(_)) => Err(MERGED),
        (Verb::Enable, _) => Ok(to(Presence::Kept)),
        (Verb::Disable | Verb::Pin, Presence::Deleted) => Err(DELETED),
        (Verb::Disable, _) => Ok(to(Presence::Disabled)),
        (Verb::Pin, Presence::Disabled) => Err("the memory is disabled; enable it first"),
        (Verb::Pin, _) if memory.retired => Err(RETIRED),
        (Verb::Pin, _) => Ok((!memory.pinned).then_some(Change::Pinned(true))),
        (Verb::Unpin, _) => Ok(memory.pinned.then_some(Change::Pinned(false))),
        (Verb::Quarantine, _) => Ok((!memory.quarantined).then_some(Change::Quarantined(true))),
        (Verb::Release, _) => Ok(memory.quarantined.then_some(Change::Quarantined(false))),
    }
}

/// Whether a memory's text may be changed.
pub(super) const fn may_edit(memory: &MemoryState) -> Result<(), &'static str> {
    match memory.presence {
        Presence::Kept | Presence::Disabled => Ok(()),
        Presence::Deleted => Err(DELETED),
        Presence::Merged(_) => Err(MERGED),
        Presence::Erased => Err(ERASED),
    }
}

/// What merging changes. Those that were merged into the same one before are passed over.
pub(super) fn merge(
    survivor: MemoryId,
    memories: &[MemoryState],
) -> Result<Vec<(MemoryId, Change)>, &'static str> {
    let (mut changes, mut shares) = (Vec::new(), Vec::new());
    for memory in memories {
        if memory.memory_id == survivor {
            may_edit(memory)?;
            if memory.retired {
                return Err(RETIRED);
            }
            continue;
        }
        if memory.presence == Presence::Merged(survivor) {
            continue;
        }
        may_edit(memory)?;
        changes.push((memory.memory_id, Change::Presence(Presence::Merged(survivor))));
        shares.push(memory.share());
    }
    if !shares.is_empty() {
        changes.push((survivor, Change::Pooled(shares)));
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{Credit, MemoryStatus};

    fn memory(presence: Presence) -> MemoryState {
        MemoryState {
            memory_id: MemoryId::generate(),
            presence,
            quarantined: false,
            pinned: false,
            retired: false,
            status: MemoryStatus::Active,
            q: 0.5,
            reviews: 0,
            passes: 0,
            credit: Credit::START,
        }
    }

    #[test]
    fn what_is_so_already_is_not_changed() {
        assert_eq!(change(Verb::Disable, &memory(Presence::Disabled)), Ok(None));
        assert_eq!(change(Verb::Enable, &memory(Presence::Kept)), Ok(None));
        assert_eq!(change(Verb::Delete, &memory(Presence::Erased)), Ok(None));
        assert_eq!(change(Verb::Unpin, &memory(Presence::Kept)), Ok(None));
        assert_eq!(change(Verb::Release, &memory(Presence::Kept)), Ok(None));
    }

    #[test]
    fn a_deleted_memory_comes_back_and_a_merged_or_erased_one_does_not() {
        let other = MemoryId::generate();
        assert_eq!(
            change(Verb::Enable, &memory(Presence::Deleted)),
            Ok(Some(Change::Presence(Presence::Kept)))
        );
        assert!(change(Verb::Enable, &memory(Presence::Merged(other))).is_err());
        assert!(change(Verb::Enable, &memory(Presence::Erased)).is_err());
        assert!(change(Verb::Pin, &memory(Presence::Disabled)).is_err());
    }

    #[test]
    fn a_merge_names_the_survivor_and_brings_along_what_the_others_were_worth() {
        let (survivor, other) = (memory(Presence::Kept), memory(Presence::Disabled));
        let earlier = memory(Presence::Merged(survivor.memory_id));

        let changes = merge(survivor.memory_id, &[survivor, other, earlier]).unwrap();

        assert_eq!(
            changes,
            [
                (other.memory_id, Change::Presence(Presence::Merged(survivor.memory_id))),
                (survivor.memory_id, Change::Pooled(vec![other.share()])),
            ]
        );
        assert_eq!(merge(survivor.memory_id, &[survivor, earlier]), Ok(Vec::new()));
        assert!(merge(survivor.memory_id, &[survivor, memory(Presence::Deleted)]).is_err());
        let retired = MemoryState { retired: true, ..survivor };
        assert!(merge(survivor.memory_id, &[retired, other]).is_err());
    }
}
