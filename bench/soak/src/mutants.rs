//! Builds of the product with a deliberate fault. A run that does not detect them proves nothing.

use std::time::Duration;

use crate::arguments::Arguments;
use crate::audit::Invariant;
use crate::havoc::Havoc;
use crate::provider::Manners;
use crate::world::Difference;

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
            // Two workers must finish one job. So workers are stopped during a job until others have finished it, and
            // the process that takes over is not killed.
            Self::NoMemoryKey => Havoc {
                kill_every: 400..800,
                kill_workers: false,
                zombies_at_once: 2,
                zombie: Duration::from_millis(7_500),
                duration: havoc.duration.max(Duration::from_secs(11)),
                ..havoc
            },
            Self::AcknowledgeBeforeCommit => Havoc { kill_workers: false, ..havoc },
            _ => havoc,
        }
    }

    /// The provider that exposes it.
    pub(crate) fn manners(self, arguments: &Arguments) -> Manners {
        match self {
            // Jobs take long enough that a worker can be stopped during several of them.
            Self::NoMemoryKey => {
                Manners { busy_share: 0.0, slow_share: 1.0, slow_ms: 700, ..arguments.manners() }
            }
            // A busy provider makes jobs queue themselves again.
            Self::LoseRepeatedJobs => Manners { busy_share: 0.5, ..arguments.manners() },
            _ => arguments.manners(),
        }
    }
}
