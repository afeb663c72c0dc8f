//! Which new memories are quarantined. A pure rule.

use reflect_types::Trust;

use super::lint::Flag;

/// Whether a memory is quarantined: always if its source is untrusted, otherwise if its text has dangerous flags.
pub(super) fn waits(trust: Trust, flags: &[Flag]) -> bool {
    trust == Trust::Untrusted || flags.iter().any(|flag| flag.is_grave())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_trusted_waits_and_so_does_what_looks_like_an_order_or_a_secret() {
        assert!(waits(Trust::Untrusted, &[]));
        assert!(!waits(Trust::Normal, &[]));
        assert!(waits(Trust::Normal, &[Flag::Link, Flag::Orders]));
        assert!(waits(Trust::Trusted, &[Flag::Credentials]));
        assert!(!waits(Trust::Normal, &[Flag::Link, Flag::Code, Flag::Copy]));
    }
}
