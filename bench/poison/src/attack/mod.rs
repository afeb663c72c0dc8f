//! Attacks on the memories of a project, through the product's engine.

mod cast;
mod script;
mod stage;

use std::ops::AddAssign;

pub(crate) use stage::Stage;

/// A way to attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Runs of tasks that resemble those of others, passed by the attacker, with lessons that carry the poison.
    Bridges,
    /// Lessons on tasks that are made to be near as many questions as possible.
    Hubs,
}

/// All of them.
pub(crate) const SUITES: &[Suite] = &[Suite::Bridges, Suite::Hubs];

impl Suite {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bridges => "bridges",
            Self::Hubs => "hubs",
        }
    }
}

/// Which parts of the defence stand. Those that are switched off are switched off from outside: the product has no
/// such switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Defences {
    name: &'static str,
    /// Whether the attacker's keys are untrusted at all.
    pub(crate) untrusted: bool,
    /// Whether what is quarantined stays there; otherwise somebody lets all of it out.
    pub(crate) quarantine: bool,
    /// Whether vouching asks for the same words; otherwise similar tasks of two keys are enough.
    pub(crate) same_words: bool,
    /// Whether untrusted memories have their share of an answer; otherwise they are made to look like others.
    pub(crate) share: bool,
    /// Whether votes are bounded; otherwise the attacker votes with a key that is trusted as usual.
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
    const NONE: Self = Self { name: "none: every key is trusted as usual", untrusted: false, ..Self::FULL };

    /// Without and with.
    pub(crate) const ENDS: [Self; 2] = [Self::NONE, Self::FULL];
    /// The same, and what each part is worth.
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

/// How many questions got poison.
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
