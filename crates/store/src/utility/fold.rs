//! Where memories stand because of the ledger: folds over its entries. Pure rules.

use std::collections::BTreeMap;

use reflect_types::{Credit, MemoryId, Utility};

/// Where one memory's utility stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    pub(super) utility: Utility,
    pub(super) reviews: i32,
    pub(super) passes: i32,
}

impl Standing {
    pub(super) const START: Self = Self { utility: Utility::START, reviews: 0, passes: 0 };

    pub(super) fn after(self, reward: f32, alpha: f32) -> Self {
        Self {
            utility: self.utility.after(reward, alpha),
            reviews: self.reviews + 1,
            passes: self.passes + i32::from(reward >= 0.5),
        }
    }
}

/// One memory's share in one review.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(super) struct Entry {
    pub(super) memory_id: MemoryId,
    reward: f32,
    alpha: f32,
    annealed: bool,
    used: Option<bool>,
    expected: Option<f32>,
    credited: Option<i32>,
    /// Whether the word of an untrusted key is all there is behind it.
    untrusted: bool,
}

/// Folds entries, given in the order in which they were entered. Credits move later than utilities, and in
/// an order of their own.
pub(super) fn fold(entries: &[Entry], memories: &[MemoryId]) -> BTreeMap<MemoryId, (Standing, Credit)> {
    let mut standings: BTreeMap<MemoryId, (Standing, Credit)> =
        memories.iter().map(|memory| (*memory, (Standing::START, Credit::START))).collect();
    for entry in entries {
        if let Some((standing, _)) = standings.get_mut(&entry.memory_id) {
            *standing = standing.after(entry.reward, entry.alpha);
        }
    }
    let mut credited: Vec<&Entry> = entries.iter().filter(|entry| entry.credited.is_some()).collect();
    credited.sort_by_key(|entry| entry.credited);
    for entry in credited {
        if let (Some((_, credit)), Some(expected)) = (standings.get_mut(&entry.memory_id), entry.expected) {
            let worth =
                Worth { reward: entry.reward, expected, alpha: entry.alpha, annealed: entry.annealed };
            *credit = credited_by(*credit, entry.used, worth, entry.untrusted);
        }
    }
    standings
}

/// What a run says about the memories that it used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    pub(super) reward: f32,
    pub(super) expected: f32,
    pub(super) alpha: f32,
    pub(super) annealed: bool,
}

/// A memory that the run did not use is not credited; nobody knowing which were used, all of them are.
pub(super) fn credited_by(credit: Credit, used: Option<bool>, worth: Worth, untrusted: bool) -> Credit {
    let Worth { reward, expected, alpha, annealed } = worth;
    if used == Some(false) {
        credit
    } else if untrusted {
        credit.after_untrusted(reward, expected, alpha)
    } else {
        credit.after(reward, expected, (!annealed).then_some(alpha))
    }
}
