//! Utility and credit of memories: how a ledger entry and a curation step move them. `fold` applies them in order.

use std::collections::BTreeSet;

use reflect_types::{Credit, MemoryId, Utility};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

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
    pub(crate) fn pooled(self, others: &[Share]) -> Self {
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
    /// Position among the entries of the memory.
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
    /// How far its ledgers had come, to compute the share again. `None` for merges by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ShareOrigin>,
}

/// How far the ledgers of a memory had come at the time it was merged into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareOrigin {
    /// Its last ledger entry.
    pub entered: i64,
    /// The last entry that had moved its credit.
    pub credited: i32,
    /// Its last curation change.
    pub changes: i64,
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

impl LedgerEntry {
    pub(crate) fn credit_after(&self, credit: Credit) -> Credit {
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

/// What tells whether two memories have one lesson: they do if one of the keys is equal. The ranking uses the same
/// relation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LessonKeys {
    /// The lesson, if it has one in common with others.
    pub lesson: Option<Uuid>,
    /// The digest of its text, if that is the text that is shown: it is not grouped, or it speaks for its lesson.
    pub text: Option<Uuid>,
}

impl LessonKeys {
    /// The keys that it has.
    fn iter(self) -> impl Iterator<Item = Uuid> {
        self.lesson.into_iter().chain(self.text)
    }
}

/// The memories of a run that it used: those that are named, and those with the lesson of a named one. Only one memory of a
/// lesson is served, so a client cannot name the others.
pub fn used_memories(memories: &[(MemoryId, LessonKeys)], named: &[MemoryId]) -> Vec<MemoryId> {
    let mut lessons: BTreeSet<Uuid> = BTreeSet::new();
    loop {
        let known = lessons.len();
        // A memory can connect two lessons: one by its lesson, another by its text.
        for (memory, keys) in memories {
            if named.contains(memory) || keys.iter().any(|key| lessons.contains(&key)) {
                lessons.extend(keys.iter());
            }
        }
        if lessons.len() == known {
            break;
        }
    }
    let is_used = |(memory, keys): &&(MemoryId, LessonKeys)| {
        named.contains(memory) || keys.iter().any(|key| lessons.contains(&key))
    };
    memories.iter().filter(is_used).map(|(memory, _)| *memory).collect()
}

/// Whether a run used each of its memories, in their order. `None` if that is not known. `used` names the memories that it
/// used, if anything is known. `compared` names those that were looked at, if that is not all of them.
pub fn known_use(
    memories: &[(MemoryId, LessonKeys)],
    used: Option<&[MemoryId]>,
    compared: Option<&[MemoryId]>,
) -> Vec<Option<bool>> {
    let Some(used) = used else { return vec![None; memories.len()] };
    let used = used_memories(memories, used);
    let compared = compared.map(|compared| used_memories(memories, compared));
    let of = |memory: &MemoryId| {
        let is_used = used.contains(memory);
        let is_known = is_used || compared.as_ref().is_none_or(|compared| compared.contains(memory));
        is_known.then_some(is_used)
    };
    memories.iter().map(|(memory, _)| of(memory)).collect()
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

    /// Keys with these numbers; 0 is none.
    fn keys(lesson: u128, text: u128) -> LessonKeys {
        let key = |number: u128| (number > 0).then(|| Uuid::from_u128(number));
        LessonKeys { lesson: key(lesson), text: key(text) }
    }

    #[test]
    fn a_lesson_that_was_used_was_used_for_every_memory_that_has_it() {
        let [one, copy, other, empty, blank] = [(); 5].map(|()| MemoryId::generate());
        let lessons = [
            (one, keys(1, 0)),
            (copy, keys(1, 0)),
            (other, keys(2, 0)),
            (empty, keys(0, 0)),
            (blank, keys(0, 0)),
        ];
        assert_eq!(used_memories(&lessons, &[one]), [one, copy]);
        assert_eq!(used_memories(&lessons, &[empty]), [empty], "no lesson is no copy");
        assert!(used_memories(&lessons, &[MemoryId::generate()]).is_empty());
        assert!(used_memories(&lessons, &[]).is_empty());
    }

    #[test]
    fn memories_that_are_served_as_one_lesson_are_used_together() {
        let [speaker, silent, text, other] = [(); 4].map(|()| MemoryId::generate());
        // The speaker connects its lesson (1) with a memory that is not grouped and has its text (7).
        let lessons = [(silent, keys(1, 0)), (text, keys(0, 7)), (other, keys(0, 8)), (speaker, keys(1, 7))];
        assert_eq!(used_memories(&lessons, &[text]), [silent, text, speaker]);
        assert_eq!(used_memories(&lessons, &[other]), [other]);
    }

    #[test]
    fn use_is_not_known_of_memories_that_were_not_compared() {
        let [used, copy, unused, open] = [(); 4].map(|()| MemoryId::generate());
        let lessons = [(used, keys(1, 0)), (copy, keys(1, 0)), (unused, keys(2, 0)), (open, keys(3, 0))];
        let known = |compared: Option<&[MemoryId]>| known_use(&lessons, Some(&[used]), compared);
        assert_eq!(known(None), [Some(true), Some(true), Some(false), Some(false)]);
        assert_eq!(known(Some(&[used, unused])), [Some(true), Some(true), Some(false), None]);
        assert_eq!(known_use(&lessons, None, None), [None; 4]);
    }
}
