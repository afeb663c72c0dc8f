//! Utility and credit of memories, computed from the ledger: a fold over its entries and over the curation steps
//! between them.

use std::collections::BTreeMap;

use reflect_types::{Credit, MemoryId, Utility};
use serde::{Deserialize, Serialize};

/// The utility of one memory and its review counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UtilityStanding {
    /// The utility.
    pub utility: Utility,
    /// How many reviews moved it.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
}

impl UtilityStanding {
    /// Before the first review.
    pub const START: Self = Self { utility: Utility::START, reviews: 0, passes: 0 };

    /// After one more review.
    #[must_use]
    pub fn after(self, reward: f32, alpha: f32) -> Self {
        Self {
            utility: self.utility.after(reward, alpha),
            reviews: self.reviews + 1,
            passes: self.passes + i32::from(reward >= 0.5),
        }
    }

    /// Merges several memories. Each is weighted by its number of reviews.
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

/// The effect of one review on one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// The memory.
    pub memory_id: MemoryId,
    /// Position in the ledger.
    pub seq: i64,
    /// 1 for a pass, 0 for a fail.
    pub reward: f32,
    /// The learning rate.
    pub alpha: f32,
    /// Whether the learning rate of the credit decreases with evidence.
    pub annealed: bool,
    /// Whether the run used the memory, if that is known.
    pub used: Option<bool>,
    /// The probability that the run passes, independent of its memories. `None` until the run was reflected on.
    pub expected: Option<f32>,
    /// Position among the entries that moved the credit.
    pub credited: Option<i32>,
    /// Whether only an untrusted key supports it.
    pub untrusted: bool,
}

/// The state of a memory at the time it was merged into another one.
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

/// How curation changes utility and credit.
#[derive(Debug, Clone, PartialEq)]
pub enum CurationStep {
    /// The text was edited, so the evidence counts half.
    Halved,
    /// Other memories were merged into it.
    Pooled(Vec<Share>),
}

/// A curation step at its position: after the entries that the memory had at that time.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedStep {
    /// The memory.
    pub memory_id: MemoryId,
    /// Position among the curation steps.
    pub seq: i64,
    /// The last ledger entry before it.
    pub entered: i64,
    /// The last entry before it that moved the credit.
    pub credited: i32,
    /// The step.
    pub step: CurationStep,
}

/// What moved a memory, as an index into the slices of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovedBy {
    /// A ledger entry.
    Entry(usize),
    /// A curation step.
    Curation(usize),
}

/// Replays what moved the utility of one memory, in order. Calls `moved` with the state before and after each step.
pub fn replay_utility(
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
    mut moved: impl FnMut(MovedBy, UtilityStanding, UtilityStanding),
) -> UtilityStanding {
    let of_entries = entries.iter().enumerate().map(|(at, entry)| ((entry.seq, 0), MovedBy::Entry(at)));
    let of_steps =
        steps.iter().enumerate().map(|(at, step)| ((step.entered, step.seq), MovedBy::Curation(at)));
    in_order(of_entries.chain(of_steps)).into_iter().fold(UtilityStanding::START, |before, by| {
        let after = match by {
            MovedBy::Entry(at) => before.after(entries[at].reward, entries[at].alpha),
            MovedBy::Curation(at) => match &steps[at].step {
                CurationStep::Halved => before,
                CurationStep::Pooled(shares) => before.pooled(shares),
            },
        };
        moved(by, before, after);
        after
    })
}

/// The same for the credit. It moves later than the utility and in its own order.
pub fn replay_credit(
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
    mut moved: impl FnMut(MovedBy, Credit, Credit),
) -> Credit {
    let of_entries = entries.iter().enumerate().filter_map(|(at, entry)| {
        let place = i64::from(entry.credited?);
        Some(((place, 0), MovedBy::Entry(at)))
    });
    let of_steps = steps.iter().enumerate().map(|(at, step)| {
        let place = i64::from(step.credited);
        ((place, step.seq), MovedBy::Curation(at))
    });
    in_order(of_entries.chain(of_steps)).into_iter().fold(Credit::START, |before, by| {
        let after = match by {
            MovedBy::Entry(at) => entries[at].credit_after(before),
            MovedBy::Curation(at) => match &steps[at].step {
                CurationStep::Halved => before.halved(),
                CurationStep::Pooled(shares) => {
                    let credits = shares.iter().map(|share| Credit::stored(share.credit, share.evidence));
                    before.pooled(&credits.collect::<Vec<_>>())
                }
            },
        };
        moved(by, before, after);
        after
    })
}

/// An entry is at its own position, and a step directly after the last entry before it. Of two such steps the earlier
/// one comes first. Positions start at 1, so no step comes before its entry.
fn in_order(placed: impl Iterator<Item = ((i64, i64), MovedBy)>) -> Vec<MovedBy> {
    let mut placed: Vec<((i64, i64), MovedBy)> = placed.collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, by)| by).collect()
}

/// Utility and credit of memories after all their entries and steps.
pub fn fold(
    entries: &[LedgerEntry],
    steps: &[PlacedStep],
    memories: &[MemoryId],
) -> BTreeMap<MemoryId, (UtilityStanding, Credit)> {
    let mut parts: BTreeMap<MemoryId, (Vec<&LedgerEntry>, Vec<&PlacedStep>)> =
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
        let standing = replay_utility(&entries, &steps, |_, _, _| ());
        (memory, (standing, replay_credit(&entries, &steps, |_, _, _| ())))
    });
    ends.collect()
}

impl LedgerEntry {
    fn credit_after(&self, credit: Credit) -> Credit {
        match self.expected {
            Some(expected) => {
                let worth =
                    RunOutcome { reward: self.reward, expected, alpha: self.alpha, annealed: self.annealed };
                credit_after_run(credit, self.used, worth, self.untrusted)
            }
            None => credit,
        }
    }
}

/// The evidence of one run about the memories that it used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunOutcome {
    /// 1 for a pass, 0 for a fail.
    pub reward: f32,
    /// The probability that the run passes, independent of its memories.
    pub expected: f32,
    /// The learning rate.
    pub alpha: f32,
    /// Whether the learning rate decreases with evidence.
    pub annealed: bool,
}

/// The memories of a run that it used: those that are named, and those with the lesson of a named one. Only one memory
/// of a lesson is served, so a client cannot name the others. A memory without a lesson has `None`.
pub fn used_memories<L: PartialEq>(lessons: &[(MemoryId, Option<L>)], named: &[MemoryId]) -> Vec<MemoryId> {
    let is_named = |memory: &MemoryId| named.contains(memory);
    let is_used = |(memory, lesson): &&(MemoryId, Option<L>)| {
        let same = |(other, its): &(MemoryId, Option<L>)| is_named(other) && its.is_some() && its == lesson;
        is_named(memory) || lessons.iter().any(same)
    };
    lessons.iter().filter(is_used).map(|(memory, _)| *memory).collect()
}

/// The credit after one run. A memory that the run did not use is not credited. If usage is unknown, all are.
pub fn credit_after_run(credit: Credit, used: Option<bool>, worth: RunOutcome, untrusted: bool) -> Credit {
    let RunOutcome { reward, expected, alpha, annealed } = worth;
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

    #[test]
    fn a_lesson_that_was_used_was_used_for_every_memory_that_has_it() {
        let [one, copy, other, empty, blank] = [(); 5].map(|()| MemoryId::generate());
        let lessons = [(one, Some("a")), (copy, Some("a")), (other, Some("b")), (empty, None), (blank, None)];
        assert_eq!(used_memories(&lessons, &[one]), [one, copy]);
        assert_eq!(used_memories(&lessons, &[empty]), [empty], "no lesson is no copy");
        assert!(used_memories(&lessons, &[MemoryId::generate()]).is_empty());
        assert!(used_memories(&lessons, &[]).is_empty());
    }

    fn entry(memory_id: MemoryId, seq: i64, reward: f32) -> LedgerEntry {
        let credited = i32::try_from(seq).ok();
        let (used, expected) = (None, Some(0.5));
        LedgerEntry {
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

    fn placed(memory_id: MemoryId, seq: i64, after: i32, step: CurationStep) -> PlacedStep {
        PlacedStep { memory_id, seq, entered: i64::from(after), credited: after, step }
    }

    fn end(entries: &[LedgerEntry], steps: &[PlacedStep], memory: MemoryId) -> (UtilityStanding, Credit) {
        fold(entries, steps, &[memory])[&memory]
    }

    #[test]
    fn a_curation_step_applies_at_its_position() {
        let memory = MemoryId::generate();
        let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();

        let early = end(&entries, &[placed(memory, 1, 2, CurationStep::Halved)], memory);
        let late = end(&entries, &[placed(memory, 1, 4, CurationStep::Halved)], memory);

        assert_eq!((early.1.evidence(), late.1.evidence()), (3, 2));
        // There is less evidence after the change, so later reviews move the credit further.
        assert!(early.1.value() > late.1.value());
        assert_eq!(early.0, late.0);
    }

    #[test]
    fn a_step_keeps_its_position_when_an_earlier_review_is_withdrawn() {
        let memory = MemoryId::generate();
        let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();
        let halved = [placed(memory, 1, 2, CurationStep::Halved)];

        let without_first = end(&entries[1..], &halved, memory);

        let expected =
            Credit::START.after(1.0, 0.5, None).halved().after(1.0, 0.5, None).after(1.0, 0.5, None);
        assert_eq!(without_first.1, expected);
    }

    #[test]
    fn merged_memories_are_weighted_by_their_reviews() {
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
            end(&entries, &[placed(memory, 1, 1, CurationStep::Pooled(vec![share]))], memory);

        // (0.35 · 1 + 0.9 · 3) / 4, and then a pass.
        assert_eq!((standing.reviews, standing.passes), (5, 4));
        assert!((standing.utility.get() - (0.7625 + 0.3 * (1.0 - 0.7625))).abs() < 1e-6, "{standing:?}");
        assert_eq!(credit.evidence(), 5);
    }
}
