//! The value of a memory: the one number that ranks it and that people see.

use crate::{Credit, Ranking, Utility};

/// How many reviews of other callers a memory from an untrusted source needs to be valued normally.
const ENOUGH_EVIDENCE: i32 = 3;

/// The utility of a memory under a ranking: its credit with a bonus for being new (learned), or its `q_value` (classic).
/// A memory from an untrusted source has at most the initial utility and no bonus until other callers have reviewed it.
///
/// ```
/// use reflect_types::{Credit, Ranking, memory_value};
///
/// let credit = Credit::stored(0.7, 9);
/// assert_eq!(memory_value(Ranking::Learned, 0.9, credit, false), credit.utility());
/// assert_eq!(memory_value(Ranking::Classic, 0.9, credit, false), 0.9);
/// ```
pub fn memory_value(ranking: Ranking, q: f32, credit: Credit, untrusted: bool) -> f32 {
    let start = Utility::START.get();
    match (ranking, untrusted && credit.evidence() < ENOUGH_EVIDENCE) {
        (Ranking::Learned, false) => credit.utility(),
        (Ranking::Learned, true) => credit.value().min(start),
        (Ranking::Classic, false) => q,
        (Ranking::Classic, true) => q.min(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_memory_without_reviews_is_worth_no_more_than_the_start() {
        let (new, tried) = (Credit::stored(0.9, 2), Credit::stored(0.9, 3));
        assert_eq!(memory_value(Ranking::Learned, 0.9, new, true), 0.5);
        assert_eq!(memory_value(Ranking::Classic, 0.9, new, true), 0.5);
        assert_eq!(memory_value(Ranking::Classic, 0.2, new, true), 0.2);
        assert_eq!(memory_value(Ranking::Learned, 0.9, tried, true), tried.utility());
        assert_eq!(memory_value(Ranking::Classic, 0.9, tried, true), 0.9);
    }

    #[test]
    fn a_trusted_memory_has_the_number_of_the_ranking() {
        let credit = Credit::stored(0.3, 0);
        assert_eq!(memory_value(Ranking::Learned, 0.9, credit, false), credit.utility());
        assert_eq!(memory_value(Ranking::Classic, 0.9, credit, false), 0.9);
    }
}
