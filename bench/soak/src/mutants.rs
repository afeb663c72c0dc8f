//! Builds of the product with a deliberate fault. A run that does not detect them proves nothing.

use crate::arguments::Arguments;
use crate::havoc::Havoc;
use crate::world::Difference;
use reflect_soak::audit::Invariant;
use reflect_soak::provider::Manners;

/// A fault, and the invariants that it violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// A review may be entered into the ledger twice.
    NoLedgerKey,
    /// A review may become two memories.
    NoMemoryKey,
    /// Utilities move after the transaction that entered them.
    UtilityOutsideTransaction,
    /// Calls are answered before they are committed.
    AcknowledgeBeforeCommit,
    /// A job that is queued again while it runs is removed.
    LoseRepeatedJobs,
}

impl Mutant {
    pub(crate) const ALL: [Self; 5] = [
        Self::NoLedgerKey,
        Self::NoMemoryKey,
        Self::UtilityOutsideTransaction,
        Self::AcknowledgeBeforeCommit,
        Self::LoseRepeatedJobs,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NoLedgerKey => "no_ledger_key",
            Self::NoMemoryKey => "no_memory_key",
            Self::UtilityOutsideTransaction => "utility_outside",
            Self::AcknowledgeBeforeCommit => "ack_early",
            Self::LoseRepeatedJobs => "lost_job",
        }
    }

    /// It counts as detected if one of these is violated. Other violations may be a coincidence.
    pub(crate) const fn shows_in(self) -> &'static [Invariant] {
        match self {
            Self::NoLedgerKey => &[Invariant::I2],
            Self::NoMemoryKey => &[Invariant::I4],
            Self::UtilityOutsideTransaction => &[Invariant::I3],
            Self::AcknowledgeBeforeCommit => &[Invariant::I1, Invariant::I2],
            Self::LoseRepeatedJobs => &[Invariant::I5],
        }
    }

    pub(crate) fn difference(self) -> Difference {
        let statements: &[&str] = match self {
            Self::NoLedgerKey => &["alter table utility_event drop constraint utility_event_pkey"],
            Self::NoMemoryKey => &["drop index memory_of_review"],
            _ => &[],
        };
        let arguments: &[&str] = match self {
            Self::UtilityOutsideTransaction => &["--fault", "utility-outside-transaction"],
            Self::AcknowledgeBeforeCommit => &["--fault", "ack-before-commit"],
            Self::LoseRepeatedJobs => &["--fault", "lose-repeated-jobs"],
            _ => &[],
        };
        Difference { statements, arguments: arguments.iter().map(|text| (*text).to_owned()).collect() }
    }

    /// The faults that expose it.
    pub(crate) fn havoc(self, arguments: &Arguments, round: u64) -> Havoc {
        let havoc = Havoc {
            seed: arguments.seed + round,
            duration: arguments.mutant_round(),
            zombies_at_once: 0,
            crashes: 0,
            ..arguments.havoc()
        };
        match self {
            Self::AcknowledgeBeforeCommit => Havoc { kill_workers: false, ..havoc },
            _ => havoc,
        }
    }

    /// Whether two workers must finish one job to expose it. Random faults rarely have this effect.
    pub(crate) const fn needs_two_workers(self) -> bool {
        matches!(self, Self::NoMemoryKey)
    }

    /// The provider that exposes it.
    pub(crate) fn manners(self, arguments: &Arguments) -> Manners {
        match self {
            // A busy provider makes jobs queue themselves again.
            Self::LoseRepeatedJobs => Manners { busy_share: 0.5, ..arguments.manners() },
            _ => arguments.manners(),
        }
    }
}
