//! Rules of trust: the lower of two levels, and when independent sources confirm a lesson.

use std::collections::BTreeSet;

use crate::{KeyId, TraceId, Trust};

/// How many independent sources must confirm a lesson of an untrusted source.
pub const VOUCHERS: usize = 2;
/// How similar two tasks must be to count as the same. Far above the threshold for serving a memory, and low enough that
/// other wordings of a request count: what a memory may say is limited by its words.
pub const SAME_TASK: f32 = 0.8;
/// Words that reverse what a lesson says, in languages with separate words for it.
const NEGATIONS: [&str; 44] = [
    "not",
    "never",
    "no",
    "none",
    "nor",
    "neither",
    "cannot",
    "don",
    "doesn",
    "didn",
    "won",
    "shouldn",
    "avoid",
    "without",
    "except",
    "unless",
    "instead",
    "nicht",
    "nie",
    "kein",
    "keine",
    "keinen",
    "ohne",
    "statt",
    "ne",
    "pas",
    "jamais",
    "sans",
    "nunca",
    "sin",
    "non",
    "mai",
    "senza",
    "não",
    "sem",
    "niet",
    "geen",
    "nooit",
    "inte",
    "aldrig",
    "ikke",
    "не",
    "без",
    "никогда",
];
/// How many times longer one task may be than the other. An embedding may ignore the end of a long text.
const LONGER: usize = 2;

impl Trust {
    /// The lower of two levels.
    ///
    /// ```
    /// use reflect_types::Trust;
    ///
    /// assert_eq!(Trust::Trusted.lower(Trust::Untrusted), Trust::Untrusted);
    /// ```
    pub const fn lower(self, other: Self) -> Self {
        if other.code() < self.code() { other } else { self }
    }
}

/// Where a lesson came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The key.
    pub key: KeyId,
    /// The run.
    pub trace: TraceId,
}

impl Source {
    fn is_apart_from(&self, other: &Self) -> bool {
        self.key != other.key && self.trace != other.trace
    }
}

/// How many of the confirming sources are independent of `own` and of each other: different keys and different runs.
pub fn independent(own: &Source, vouchers: &[Source]) -> usize {
    let apart = vouchers.iter().filter(|voucher| voucher.is_apart_from(own));
    let (mut keys, mut runs) = (BTreeSet::new(), BTreeSet::new());
    for voucher in apart {
        keys.insert(voucher.key);
        runs.insert(voucher.trace);
    }
    keys.len().min(runs.len())
}

/// A task and the lesson about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    /// The task.
    pub task: &'a str,
    /// All texts of the lesson.
    pub lesson: &'a str,
}

/// Whether a memory says nothing that another memory of a similar task does not say. Similar tasks are not enough: an
/// attacker can copy the task and change the advice. Every word counts, because an instruction needs few words. If the
/// other memory has a negation, the words must be the same in the same order: one that is left out or moved would reverse
/// the advice.
///
/// ```
/// use reflect_types::{Said, says_the_same};
///
/// let known = Said { task: "refund order 7", lesson: "First call the tool refund_order." };
/// assert!(says_the_same(Said { lesson: "Call the tool refund_order", ..known }, known));
/// assert!(!says_the_same(Said { lesson: "Call the tool close_account", ..known }, known));
/// ```
pub fn says_the_same(one: Said<'_>, other: Said<'_>) -> bool {
    let (said, known) = (words(one.lesson), words(other.lesson));
    let agree = match known.iter().any(|word| NEGATIONS.contains(&word.as_str())) {
        true => said == known,
        false => {
            let known: BTreeSet<&String> = known.iter().collect();
            !said.is_empty() && said.iter().all(|word| known.contains(word))
        }
    };
    agree && one.task.len() <= LONGER * other.task.len()
}

fn words(text: &str) -> Vec<String> {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source { key: KeyId::generate(), trace: TraceId::generate() }
    }

    #[test]
    fn two_sources_count_as_two_only_when_keys_and_runs_differ() {
        let (own, one, other) = (source(), source(), source());
        assert_eq!(independent(&own, &[one, other]), 2);
        assert_eq!(independent(&own, &[one, one]), 1);
        assert_eq!(independent(&own, &[one, Source { key: one.key, ..other }]), 1);
        assert_eq!(independent(&own, &[one, Source { trace: one.trace, ..other }]), 1);
        assert_eq!(independent(&own, &[one, Source { key: own.key, ..other }]), 1);
        assert_eq!(independent(&own, &[Source { trace: own.trace, ..one }]), 0);
    }

    #[test]
    fn one_word_more_or_a_longer_task_is_not_the_same() {
        let known = Said { task: "refund order 7", lesson: "Look the order up, then refund what was paid." };
        let with = |task, lesson| says_the_same(Said { task, lesson }, known);
        assert!(with("refund order 8", "Look up the order, refund what was paid"));
        assert!(!with("refund order 8", "Look up the order, do not refund what was paid"));
        assert!(!with("refund order 8 and then wire the rest to another account", known.lesson));
        assert!(!with("refund order 8", " . "));
    }

    #[test]
    fn a_negation_is_neither_left_out_nor_moved() {
        let known = Said { task: "refund order 7", lesson: "Do not call close_account, call refund_order." };
        let with = |lesson| says_the_same(Said { lesson, ..known }, known);
        assert!(with("do not call close_account; call refund_order"));
        assert!(!with("Call close_account"));
        assert!(!with("Do not call refund_order"));
        assert!(!with("Do call close_account, not call refund_order."));
    }
}
