//! Where memories stand because of the ledger: folds over its entries, and over the steps that care for a
//! memory puts between them. Pure rules.

use std::collections::BTreeMap;

use reflect_types::{Credit, MemoryId, Utility};
use serde::{Deserialize, Serialize};

/// Where one memory's utility stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Standing {
    pub(crate) utility: Utility,
    pub(crate) reviews: i32,
    pub(crate) passes: i32,
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

    /// Several as one, each counting for as many reviews as moved it.
    fn pooled(self, others: &[Share]) -> Self {
        let mut weighted = f64::from(self.utility.get()) * f64::from(self.reviews);
        let (mut reviews, mut passes) = (self.reviews, self.passes);
        for other in others {
            weighted += f64::from(other.q) * f64::from(other.reviews);
            reviews = reviews.saturating_add(other.reviews);
            passes = passes.saturating_add(other.passes);
        }
        let utility = match reviews {
            0 => self.utility,
            _ => Utility::stored((weighted / f64::from(reviews)) as f32),
        };
        Self { utility, reviews, passes: passes.min(reviews) }
    }
}

/// One memory's share in one review.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(crate) struct Entry {
    pub(crate) memory_id: MemoryId,
    pub(crate) seq: i64,
    pub(crate) reward: f32,
    pub(crate) alpha: f32,
    pub(crate) annealed: bool,
    pub(crate) used: Option<bool>,
    pub(crate) expected: Option<f32>,
    pub(crate) credited: Option<i32>,
    /// Whether the word of an untrusted key is all there is behind it.
    pub(crate) untrusted: bool,
}

/// What a memory that was merged into another one brought along.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its utility then.
    pub q: f32,
    /// How many reviews had moved it.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// Its credit then.
    pub credit: f32,
    /// How many reviews that rested on.
    pub evidence: i32,
}

/// What care for a memory does to where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CareStep {
    /// Its text was changed.
    Halved,
    /// Others were merged into it.
    Pooled(Vec<Share>),
}

/// Such a step at its place: after the entries that the memory had when it was taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlacedStep {
    pub(crate) memory_id: MemoryId,
    pub(crate) seq: i64,
    pub(crate) entered: i64,
    pub(crate) credited: i32,
    pub(crate) step: CareStep,
}

/// What moved a memory: an entry of the ledger or a step of care, by its number among those that were given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MovedBy {
    Entry(usize),
    Care(usize),
}

/// Goes through what moved one memory's utility, in order, and says of each thing from where to where.
pub(crate) fn walk_utility(
    entries: &[&Entry],
    steps: &[&PlacedStep],
    mut moved: impl FnMut(MovedBy, Standing, Standing),
) -> Standing {
    let of_entries = entries.iter().enumerate().map(|(at, entry)| ((entry.seq, 0), MovedBy::Entry(at)));
    let of_steps = steps.iter().enumerate().map(|(at, step)| ((step.entered, step.seq), MovedBy::Care(at)));
    in_order(of_entries.chain(of_steps)).into_iter().fold(Standing::START, |before, by| {
        let after = match by {
            MovedBy::Entry(at) => before.after(entries[at].reward, entries[at].alpha),
            MovedBy::Care(at) => match &steps[at].step {
                CareStep::Halved => before,
                CareStep::Pooled(shares) => before.pooled(shares),
            },
        };
        moved(by, before, after);
        after
    })
}

/// The same for its credit, which moves later than its utility and in an order of its own.
pub(crate) fn walk_credit(
    entries: &[&Entry],
    steps: &[&PlacedStep],
    mut moved: impl FnMut(MovedBy, Credit, Credit),
) -> Credit {
    let of_entries = entries.iter().enumerate().filter_map(|(at, entry)| {
        let place = i64::from(entry.credited?);
        Some(((place, 0), MovedBy::Entry(at)))
    });
    let of_steps = steps.iter().enumerate().map(|(at, step)| {
        let place = i64::from(step.credited);
        ((place, step.seq), MovedBy::Care(at))
    });
    in_order(of_entries.chain(of_steps)).into_iter().fold(Credit::START, |before, by| {
        let after = match by {
            MovedBy::Entry(at) => entries[at].credit_after(before),
            MovedBy::Care(at) => match &steps[at].step {
                CareStep::Halved => before.halved(),
                CareStep::Pooled(shares) => {
                    let credits = shares.iter().map(|share| Credit::stored(share.credit, share.evidence));
                    before.pooled(&credits.collect::<Vec<_>>())
                }
            },
        };
        moved(by, before, after);
        after
    })
}

/// An entry stands at its own number, and a step right after the last one that was there before it; of two
/// such steps the earlier comes first. A sequence starts at 1, so no step comes before its entry.
fn in_order(placed: impl Iterator<Item = ((i64, i64), MovedBy)>) -> Vec<MovedBy> {
    let mut placed: Vec<((i64, i64), MovedBy)> = placed.collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, by)| by).collect()
}

/// Where memories stand after all that moved them.
pub(crate) fn fold(
    entries: &[Entry],
    steps: &[PlacedStep],
    memories: &[MemoryId],
) -> BTreeMap<MemoryId, (Standing, Credit)> {
    let mut parts: BTreeMap<MemoryId, (Vec<&Entry>, Vec<&PlacedStep>)> =
        memories.iter().map(|memory| (*memory, Default::default())).collect();
    for entry in entries {
        if let Some((mine, _)) = parts.get_mut(&entry.memory_id) {
            mine.push(entry);
        }
    }
    for step in steps {
        if let Some((_, mine)) = parts.get_mut(&step.memory_id) {
            mine.push(step);
        }
    }
    let ends = parts.into_iter().map(|(memory, (entries, steps))| {
        let standing = walk_utility(&entries, &steps, |_, _, _| ());
        (memory, (standing, walk_credit(&entries, &steps, |_, _, _| ())))
    });
    ends.collect()
}

impl Entry {
    fn credit_after(&self, credit: Credit) -> Credit {
        match self.expected {
            Some(expected) => {
                let worth =
                    Worth { reward: self.reward, expected, alpha: self.alpha, annealed: self.annealed };
                credited_by(credit, self.used, worth, self.untrusted)
            }
            None => credit,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(memory_id: MemoryId, seq: i64, reward: f32) -> Entry {
        let credited = i32::try_from(seq).ok();
        let (used, expected) = (None, Some(0.5));
        Entry {
            memory_id,
            seq,
            reward,
            alpha: 0.3,
            annealed: true,
            used,
            expected,
            credited,
            untrusted: false,
        }
    }

    fn placed(memory_id: MemoryId, seq: i64, after: i32, step: CareStep) -> PlacedStep {
        PlacedStep { memory_id, seq, entered: i64::from(after), credited: after, step }
    }

    fn end(entries: &[Entry], steps: &[PlacedStep], memory: MemoryId) -> (Standing, Credit) {
        fold(entries, steps, &[memory])[&memory]
    }

    #[test]
    fn a_step_of_care_is_taken_where_it_happened() {
        let memory = MemoryId::generate();
        let entries: Vec<Entry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();

        let early = end(&entries, &[placed(memory, 1, 2, CareStep::Halved)], memory);
        let late = end(&entries, &[placed(memory, 1, 4, CareStep::Halved)], memory);

        assert_eq!((early.1.evidence(), late.1.evidence()), (3, 2));
        // With less evidence behind it, what came after the change moved it further.
        assert!(early.1.value() > late.1.value());
        assert_eq!(early.0, late.0);
    }

    #[test]
    fn a_step_stays_where_it_was_when_an_earlier_review_is_withdrawn() {
        let memory = MemoryId::generate();
        let entries: Vec<Entry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();
        let halved = [placed(memory, 1, 2, CareStep::Halved)];

        let without_first = end(&entries[1..], &halved, memory);

        let expected =
            Credit::START.after(1.0, 0.5, None).halved().after(1.0, 0.5, None).after(1.0, 0.5, None);
        assert_eq!(without_first.1, expected);
    }

    #[test]
    fn what_was_merged_in_counts_for_its_reviews_and_later_ones_go_on_from_there() {
        let memory = MemoryId::generate();
        let share = Share {
            memory_id: MemoryId::generate(),
            q: 0.9,
            reviews: 3,
            passes: 3,
            credit: 0.8,
            evidence: 3,
        };
        let entries = [entry(memory, 1, 0.0), entry(memory, 2, 1.0)];

        let (standing, credit) =
            end(&entries, &[placed(memory, 1, 1, CareStep::Pooled(vec![share]))], memory);

        // (0.35 · 1 + 0.9 · 3) / 4, and then a pass.
        assert_eq!((standing.reviews, standing.passes), (5, 4));
        assert!((standing.utility.get() - (0.7625 + 0.3 * (1.0 - 0.7625))).abs() < 1e-6, "{standing:?}");
        assert_eq!(credit.evidence(), 5);
    }
}
