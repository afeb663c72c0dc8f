//! Limits on what curation may do, and which callers may do it.

use reflect_types::{Defence, Trust};

/// Maximum number of pinned memories in a project. Every query returns the pinned memories first, so there are few.
pub const MAX_PINS: usize = 5;

/// Whether the number of pinned memories may change from `before` to `after`. A project that is above the limit may
/// still unpin memories.
pub const fn may_pin(before: usize, after: usize) -> bool {
    after <= MAX_PINS || after <= before
}

/// The effect of a change on what agents receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurationEffect {
    /// The memory is served less, or its text or merge state changes.
    Changes,
    /// The memory becomes servable or is served first: release, enable, pin.
    Promotes,
}

/// Why an untrusted caller may not change a memory.
pub const UNTRUSTED_CURATION: &str = "an untrusted key can change only memories of untrusted keys that are in \
                                      quarantine, and cannot release, enable or pin a memory; use a key with the \
                                      trust normal or trusted";
/// Why an untrusted caller may not undo an action.
pub const UNTRUSTED_UNDO: &str = "an untrusted key can undo only its own actions; use a key with the trust normal or \
                                  trusted";

/// Whether a caller may change a memory of this trust. An untrusted caller may change only what no person and no other
/// source has accepted yet: memories of untrusted sources in quarantine.
pub fn may_curate(caller: Trust, effect: CurationEffect, memory: Trust, quarantined: bool) -> bool {
    caller != Trust::Untrusted
        || (effect == CurationEffect::Changes && memory == Trust::Untrusted && quarantined)
        || !Defence::CallerTrust.is_on()
}

/// Whether a caller may undo an action. An untrusted caller may undo only what it did itself.
pub fn may_undo(caller: Trust, is_own: bool) -> bool {
    caller != Trust::Untrusted || is_own || !Defence::CallerTrust.is_on()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_caller_changes_only_untrusted_memories_in_quarantine_and_promotes_none() {
        let may = |effect, memory, quarantined| may_curate(Trust::Untrusted, effect, memory, quarantined);
        assert!(may(CurationEffect::Changes, Trust::Untrusted, true));
        assert!(!may(CurationEffect::Promotes, Trust::Untrusted, true));
        assert!(!may(CurationEffect::Changes, Trust::Untrusted, false), "a person has released it");
        assert!(!may(CurationEffect::Changes, Trust::Normal, true));
        assert!(!may(CurationEffect::Changes, Trust::Trusted, false));
        for caller in [Trust::Normal, Trust::Trusted] {
            assert!(may_curate(caller, CurationEffect::Promotes, Trust::Trusted, false));
        }
    }

    #[test]
    fn an_untrusted_caller_undoes_only_its_own_actions() {
        assert!(may_undo(Trust::Untrusted, true));
        assert!(!may_undo(Trust::Untrusted, false));
        assert!(may_undo(Trust::Normal, false));
    }

    #[test]
    fn a_sixth_pin_is_refused_and_unpinning_is_always_allowed() {
        assert!(may_pin(4, 5));
        assert!(!may_pin(5, 6));
        assert!(may_pin(8, 7));
        assert!(may_pin(8, 8));
    }
}
