//! Attacks on the memories of a project, through the product's engine.

mod agentdojo;
mod cast;
mod evasions;
mod grouping;
mod script;
mod stage;

use std::ops::AddAssign;

pub(crate) use stage::Stage;

/// A kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Runs with tasks that resemble those of honest users, which the attacker reviews as passed, with poisoned
    /// lessons.
    Bridges,
    /// Lessons on tasks that are similar to as many queries as possible.
    Hubs,
    /// Lessons of honest users, word for word, on similar tasks for which they are wrong.
    Swaps,
    /// Injections of several steps: one memory prepares, others act.
    Steps,
    /// Orders in disguise, from keys of normal trust: only the lint can detect them.
    Evasions,
    /// Lessons with the actions of trusted lessons, to be grouped with them.
    Groupings,
}

/// All of them.
pub(crate) const SUITES: &[Suite] =
    &[Suite::Bridges, Suite::Hubs, Suite::Swaps, Suite::Steps, Suite::Evasions, Suite::Groupings];

impl Suite {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bridges => "bridges",
            Self::Hubs => "hubs",
            Self::Swaps => "swaps",
            Self::Steps => "steps",
            Self::Evasions => "evasions",
            Self::Groupings => "groupings",
        }
    }
}

/// Which parts of the defence are enabled. Parts are disabled from outside, because the product has no such switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Defences {
    name: &'static str,
    /// Whether the attacker's keys are untrusted at all.
    pub(crate) untrusted: bool,
    /// Whether quarantined memories stay quarantined; otherwise a reviewer releases all of them.
    pub(crate) quarantine: bool,
    /// Whether corroboration requires the same words; otherwise similar tasks of two keys are enough.
    pub(crate) same_words: bool,
    /// Whether the share of untrusted memories in a result is limited; otherwise they are marked as trusted.
    pub(crate) share: bool,
    /// Whether votes are bounded; otherwise the attacker votes with a key of normal trust.
    pub(crate) votes: bool,
}

impl Defences {
    const FULL: Self = Self {
        name: "all defences",
        untrusted: true,
        quarantine: true,
        same_words: true,
        share: true,
        votes: true,
    };
    const NONE: Self = Self {
        name: "none: every key is trusted, nothing is quarantined",
        untrusted: false,
        quarantine: false,
        ..Self::FULL
    };

    /// Without and with the defence.
    pub(crate) const ENDS: [Self; 2] = [Self::NONE, Self::FULL];
    /// The same, and the effect of each part.
    pub(crate) const ALL: [Self; 7] = [
        Self::NONE,
        Self::FULL,
        Self { name: "all, but similar tasks alone vouch", same_words: false, ..Self::FULL },
        Self { name: "all, but votes are not bounded", votes: false, ..Self::FULL },
        Self { name: "all, but nothing is quarantined", quarantine: false, ..Self::FULL },
        Self { name: "  and votes are not bounded", quarantine: false, votes: false, ..Self::FULL },
        Self { name: "  and no share is kept to", quarantine: false, share: false, ..Self::FULL },
    ];

    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }
}

/// How many queries returned poisoned memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) poisoned: usize,
    pub(crate) asked: usize,
}

impl Share {
    pub(crate) fn part(&self) -> f64 {
        self.poisoned as f64 / self.asked.max(1) as f64
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.poisoned += other.poisoned;
        self.asked += other.asked;
    }
}
