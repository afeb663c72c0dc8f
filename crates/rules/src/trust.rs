//! Release from quarantine: which memories have enough independent sources.

use std::collections::BTreeMap;

use reflect_types::{MemoryId, Source, Trust, VOUCHERS, independent};

/// Which memories are compared with a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorroborationSearch {
    /// The new memory is in quarantine: memories that corroborate it.
    Vouchers,
    /// The new memory is trusted: memories in quarantine that it corroborates.
    Quarantined,
}

/// Which memories to compare with a new memory. `None` if it neither needs corroboration nor can give it.
/// A memory in quarantine with flags is decided by a person.
pub const fn corroboration_search(
    quarantined: bool,
    flagged: bool,
    trust: Trust,
) -> Option<CorroborationSearch> {
    match (quarantined, flagged, trust) {
        (true, true, _) | (false, _, Trust::Untrusted) => None,
        (true, false, _) => Some(CorroborationSearch::Vouchers),
        (false, ..) => Some(CorroborationSearch::Quarantined),
    }
}

/// One memory that corroborates another, and where both come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corroboration {
    /// The memory in quarantine.
    pub memory: MemoryId,
    /// Where that memory comes from.
    pub source: Source,
    /// Where the corroborating memory comes from.
    pub by: Source,
}

/// The memories with enough independent sources to leave quarantine.
pub fn released(corroborations: &[Corroboration]) -> Vec<MemoryId> {
    let mut sources: BTreeMap<MemoryId, (Source, Vec<Source>)> = BTreeMap::new();
    for row in corroborations {
        let (_, vouchers) = sources.entry(row.memory).or_insert((row.source, Vec::new()));
        vouchers.push(row.by);
    }
    let enough = sources.iter().filter(|(_, (own, vouchers))| independent(own, vouchers) >= VOUCHERS);
    enough.map(|(memory, _)| *memory).collect()
}

#[cfg(test)]
mod tests {
    use reflect_types::{KeyId, TraceId};

    use super::*;

    fn source() -> Source {
        Source { key: KeyId::generate(), trace: TraceId::generate() }
    }

    #[test]
    fn a_memory_is_released_only_with_enough_independent_sources() {
        let (memory, own) = (MemoryId::generate(), source());
        let by = |by: Source| Corroboration { memory, source: own, by };
        let enough: Vec<Corroboration> = (0..VOUCHERS).map(|_| by(source())).collect();

        assert_eq!(released(&enough), vec![memory]);
        assert!(released(&enough[1..]).is_empty());
        assert!(released(&[by(own); VOUCHERS]).is_empty());
    }

    #[test]
    fn flagged_memories_in_quarantine_wait_for_a_person() {
        assert_eq!(corroboration_search(true, true, Trust::Normal), None);
        assert_eq!(corroboration_search(true, false, Trust::Untrusted), Some(CorroborationSearch::Vouchers));
        assert_eq!(corroboration_search(false, false, Trust::Untrusted), None);
        assert_eq!(corroboration_search(false, true, Trust::Normal), Some(CorroborationSearch::Quarantined));
    }
}
