//! The registry of faults, and what each of them reports.

use std::pin::Pin;
use std::time::Duration;

use crate::network::Link;
use crate::{Arguments, clock_jumps, connections, disk_full, failover, network, restore, slow_flush};

/// What a fault did to an installation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Calls that were acknowledged to clients.
    pub(crate) acknowledged: u64,
    /// Violations of invariants: acknowledged work that is missing, incomplete or was never finished.
    pub(crate) lost: u64,
    /// Violations of invariants: one call with two effects.
    pub(crate) doubled: u64,
    /// The time from the end of the fault until everything works again. `None` if nothing was interrupted.
    pub(crate) recovery: Option<Duration>,
    /// Further figures, one phrase each.
    pub(crate) notes: Vec<String>,
    /// The mutants, and whether they were detected.
    pub(crate) mutants: Vec<(&'static str, bool)>,
}

/// The future of a run.
type Run<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Report>> + 'a>>;

/// A fault.
pub(crate) struct Fault {
    /// Kebab-case; documents and `--only` use it.
    pub(crate) name: &'static str,
    /// Whether it is part of the short form.
    pub(crate) quick: bool,
    pub(crate) run: for<'a> fn(&'a Arguments) -> Run<'a>,
}

/// All faults, in the order in which they are injected.
pub(crate) const FAULTS: &[Fault] = &[
    Fault { name: "disk-full-data", quick: true, run: |arguments| Box::pin(disk_full::data::run(arguments)) },
    Fault { name: "disk-full-wal", quick: true, run: |arguments| Box::pin(disk_full::wal::run(arguments)) },
    Fault {
        name: "connections-exhausted",
        quick: true,
        run: |arguments| Box::pin(connections::run(arguments)),
    },
    Fault { name: "slow-flush", quick: true, run: |arguments| Box::pin(slow_flush::run(arguments)) },
    Fault {
        name: "network-clients",
        quick: true,
        run: |arguments| Box::pin(network::run(arguments, Link::Clients)),
    },
    Fault {
        name: "network-database",
        quick: true,
        run: |arguments| Box::pin(network::run(arguments, Link::Database)),
    },
    Fault {
        name: "network-provider",
        quick: false,
        run: |arguments| Box::pin(network::run(arguments, Link::Provider)),
    },
    Fault {
        name: "network-webhooks",
        quick: false,
        run: |arguments| Box::pin(network::run(arguments, Link::Webhooks)),
    },
    Fault { name: "clock-jumps", quick: true, run: |arguments| Box::pin(clock_jumps::run(arguments)) },
    Fault {
        name: "failover-sync",
        quick: true,
        run: |arguments| Box::pin(failover::run_synchronous(arguments)),
    },
    Fault {
        name: "failover-partition",
        quick: false,
        run: |arguments| Box::pin(failover::run_partition(arguments)),
    },
    Fault {
        name: "failover-manual",
        quick: false,
        run: |arguments| Box::pin(failover::run_manual(arguments)),
    },
    Fault {
        name: "failover-async",
        quick: false,
        run: |arguments| Box::pin(failover::run_asynchronous(arguments)),
    },
    Fault { name: "restore-pitr", quick: true, run: |arguments| Box::pin(restore::pitr::run(arguments)) },
    Fault { name: "restore-dump", quick: true, run: |arguments| Box::pin(restore::dump::run(arguments)) },
    Fault { name: "restore-pack", quick: true, run: |arguments| Box::pin(restore::pack::run(arguments)) },
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::FAULTS;

    #[test]
    fn names_are_unique_and_kebab_case() {
        let names: HashSet<&str> = FAULTS.iter().map(|fault| fault.name).collect();

        assert_eq!(names.len(), FAULTS.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    }
}
