//! Which runs count in the holdout comparison, and in which arm.

use reflect_types::Arm;

/// The facts of a retrieval that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldoutFacts {
    /// Whether it was decided randomly if memories are served.
    pub sampled: bool,
    /// Whether anything was found.
    pub found: bool,
    /// Whether the search was degraded.
    pub degraded: bool,
    /// Whether the memories were withheld.
    pub held_out: bool,
}

/// The arm of a run that follows a retrieval. `None` if nothing was found, if the search was degraded, or if a run whose
/// memories were withheld had some from elsewhere.
pub const fn arm(retrieval: HoldoutFacts, says_it_had_memories: bool) -> Option<Arm> {
    if !retrieval.sampled || !retrieval.found || retrieval.degraded {
        return None;
    }
    let arm = if retrieval.held_out { Some(Arm::Without) } else { Some(Arm::With) };
    if says_it_had_memories { arm_with_others(arm) } else { arm }
}

/// The arm of a run that had memories from elsewhere too, such as those of the retrieval of a marked step.
pub const fn arm_with_others(arm: Option<Arm>) -> Option<Arm> {
    match arm {
        Some(Arm::Without) => None,
        arm => arm,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_decided_by_lot_counts_in_a_comparison() {
        let lot = HoldoutFacts { sampled: true, found: true, degraded: false, held_out: false };
        assert_eq!(arm(lot, true), Some(Arm::With));
        assert_eq!(arm(HoldoutFacts { degraded: true, ..lot }, true), None);
        assert_eq!(arm(HoldoutFacts { sampled: false, ..lot }, true), None);
        let held_out = HoldoutFacts { held_out: true, ..lot };
        assert_eq!(arm(held_out, false), Some(Arm::Without));
        assert_eq!(arm(held_out, true), None);
        assert_eq!(arm(HoldoutFacts { found: false, ..held_out }, false), None);
    }

    #[test]
    fn a_run_that_had_memories_from_elsewhere_is_not_one_without() {
        let after = [None, Some(Arm::With), Some(Arm::Without)].map(arm_with_others);
        assert_eq!(after, [None, Some(Arm::With), None]);
    }
}
