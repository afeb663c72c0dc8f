//! The fold of the ledger: entries and curation steps of a memory in order, from the start or from a checkpoint.

use std::collections::BTreeMap;

use reflect_types::{Credit, MemoryId};

use crate::credit::{CurationStep, LedgerEntry, PlacedStep, UtilityStanding};

/// A value that is folded from the ledger. Utility and credit move in different orders.
pub trait Folded: Copy {
    /// The value of a memory without entries.
    const INITIAL: Self;

    /// The position of an entry in the order in which this value moved, from 1. `None` if the entry has not moved it.
    fn position(entry: &LedgerEntry) -> Option<i64>;

    /// The position of the last entry before a step, in the same order.
    fn placed(step: &PlacedStep) -> i64;

    /// The value after an entry.
    #[must_use]
    fn after_entry(self, entry: &LedgerEntry) -> Self;

    /// The value after a step.
    #[must_use]
    fn after_step(self, step: &CurationStep) -> Self;
}

impl Folded for UtilityStanding {
    const INITIAL: Self = Self::START;

    fn position(entry: &LedgerEntry) -> Option<i64> {
        Some(entry.seq)
    }

    fn placed(step: &PlacedStep) -> i64 {
        step.entered
    }

    fn after_entry(self, entry: &LedgerEntry) -> Self {
        self.after(entry.reward, entry.alpha)
    }

    fn after_step(self, step: &CurationStep) -> Self {
        match step {
            CurationStep::Halved => self,
            CurationStep::Pooled(shares) => self.pooled(shares),
        }
    }
}

impl Folded for Credit {
    const INITIAL: Self = Self::START;

    fn position(entry: &LedgerEntry) -> Option<i64> {
        entry.credited.map(i64::from)
    }

    fn placed(step: &PlacedStep) -> i64 {
        i64::from(step.credited)
    }

    fn after_entry(self, entry: &LedgerEntry) -> Self {
        entry.credit_after(self)
    }

    fn after_step(self, step: &CurationStep) -> Self {
        match step {
            CurationStep::Halved => self.halved(),
            CurationStep::Pooled(shares) => {
                let credits = shares.iter().map(|share| Self::stored(share.credit, share.evidence));
                self.pooled(&credits.collect::<Vec<_>>())
            }
        }
    }
}

/// The value after every entry up to a position and every step before that entry. Steps at the position itself come later,
/// because steps can be added there as long as no further entry follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldCheckpoint<S> {
    /// The position of the last entry. 0 is the start.
    pub position: i64,
    /// The value after it.
    pub value: S,
}

impl<S: Folded> FoldCheckpoint<S> {
    /// Before the first entry.
    pub const START: Self = Self { position: 0, value: S::INITIAL };

    /// The checkpoint at the last of these entries. The entries follow this checkpoint without a gap.
    #[must_use]
    pub fn advanced(self, entries: &[&LedgerEntry], steps: &[&PlacedStep]) -> Self {
        let last = entries.iter().filter_map(|entry| S::position(entry)).max();
        let Some(position) = last.filter(|position| *position > self.position) else { return self };
        let earlier: Vec<&PlacedStep> =
            steps.iter().copied().filter(|step| S::placed(step) < position).collect();
        Self { position, value: replay(self, entries, &earlier, |_, _, _| ()) }
    }

    /// The current value, if no entry follows this checkpoint.
    #[must_use]
    pub fn finished(self, steps: &[&PlacedStep]) -> S {
        replay(self, &[], steps, |_, _, _| ())
    }
}

/// What moved a memory, as an index into the slices of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovedBy {
    /// A ledger entry.
    Entry(usize),
    /// A curation step.
    Curation(usize),
}

/// Replays what moved a value of one memory after a checkpoint, in order. Calls `moved` with the value before and after
/// each step. An entry is at its own position, and a step directly after the last entry before it. Of two steps at one
/// position the earlier one comes first.
pub fn replay<S: Folded>(
    start: FoldCheckpoint<S>,
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
    mut moved: impl FnMut(MovedBy, S, S),
) -> S {
    let of_entries = entries.iter().enumerate().filter_map(|(at, entry)| {
        let position = S::position(entry).filter(|position| *position > start.position)?;
        Some(((position, 0), MovedBy::Entry(at)))
    });
    let of_steps = steps.iter().enumerate().filter_map(|(at, step)| {
        let placed = S::placed(step);
        (placed >= start.position).then_some(((placed, step.seq), MovedBy::Curation(at)))
    });
    let mut placed: Vec<((i64, i64), MovedBy)> = of_entries.chain(of_steps).collect();
    placed.sort_unstable();
    placed.into_iter().fold(start.value, |before, (_, by)| {
        let after = match by {
            MovedBy::Entry(at) => before.after_entry(entries[at]),
            MovedBy::Curation(at) => before.after_step(&steps[at].step),
        };
        moved(by, before, after);
        after
    })
}

/// Utility and credit of memories after all their entries and steps.
pub fn fold(
    entries: &[LedgerEntry],
    steps: &[PlacedStep],
    memories: &[MemoryId],
) -> BTreeMap<MemoryId, (UtilityStanding, Credit)> {
    let ends = by_memory(entries, steps, memories).into_iter().map(|(memory, (entries, steps))| {
        let standing: UtilityStanding = replay(FoldCheckpoint::START, &entries, &steps, |_, _, _| ());
        let credit: Credit = replay(FoldCheckpoint::START, &entries, &steps, |_, _, _| ());
        (memory, (standing, credit))
    });
    ends.collect()
}

/// The entries and steps of each memory.
pub fn by_memory<'a>(
    entries: &'a [LedgerEntry],
    steps: &'a [PlacedStep],
    memories: &[MemoryId],
) -> BTreeMap<MemoryId, (Vec<&'a LedgerEntry>, Vec<&'a PlacedStep>)> {
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
    parts
}

/// Whether the checkpoints of one memory are what its entries and steps say. The checkpoints are in the order of their
/// positions.
pub fn checkpoints_hold<S: Folded + PartialEq>(
    checkpoints: &[FoldCheckpoint<S>],
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
) -> bool {
    let mut entries: Vec<&LedgerEntry> =
        entries.iter().copied().filter(|entry| S::position(entry).is_some()).collect();
    entries.sort_by_key(|entry| S::position(entry));
    let (mut at, mut done) = (FoldCheckpoint::<S>::START, 0);
    checkpoints.iter().all(|checkpoint| {
        let covered = entries.partition_point(|entry| S::position(entry) <= Some(checkpoint.position));
        at = at.advanced(&entries[done..covered], steps);
        done = covered;
        at == *checkpoint
    })
}

#[cfg(test)]
mod tests;
