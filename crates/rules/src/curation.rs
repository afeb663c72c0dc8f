//! Limits on what curation may do.

/// Maximum number of pinned memories in a project. Every query returns the pinned memories first, so there are few.
pub const MAX_PINS: usize = 5;

/// Whether the number of pinned memories may change from `before` to `after`. A project that is above the limit may
/// still unpin memories.
pub const fn may_pin(before: usize, after: usize) -> bool {
    after <= MAX_PINS || after <= before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixth_pin_is_refused_and_unpinning_is_always_allowed() {
        assert!(may_pin(4, 5));
        assert!(!may_pin(5, 6));
        assert!(may_pin(8, 7));
        assert!(may_pin(8, 8));
    }
}
