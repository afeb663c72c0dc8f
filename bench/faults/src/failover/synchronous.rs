//! `failover-sync`: a primary with a synchronous and an asynchronous standby. The standbys fall behind, then the machine of the
//! primary fails. Nothing that was acknowledged is lost.

use std::time::Duration;

use reflect_soak::audit::Invariant;

use super::cluster::{PatroniCluster, Replication};
use super::watch::Watch;
use super::{check, kill_primary, warm_up};
use crate::Arguments;
use crate::fault::Report;
use crate::mutant::{ACKNOWLEDGE_BEFORE_COMMIT, Installations, Mutant};
use crate::stage::Processes;

/// Commits of this database do not wait for a standby.
const NO_WAIT: Mutant = Mutant {
    name: "commits do not wait for the standby",
    statements: &["do $$ begin execute format('alter database %I set synchronous_commit = off', \
                    current_database()); end $$"],
    fault: None,
    shows_in: &[Invariant::I1, Invariant::I2],
};

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let mut cluster = PatroniCluster::start(Replication::Synchronous, 3).await?;
    let mutants = if arguments.quick { &[NO_WAIT][..] } else { &[NO_WAIT, ACKNOWLEDGE_BEFORE_COMMIT] };
    let processes = Processes::default();
    let created = Installations::create(arguments, &cluster, "failover-sync", mutants, &processes);
    let mut all = Box::pin(created).await?;
    let loads = all.load();
    let watch = Watch::start(&cluster, all.product.client_addresses.clone());
    let (rounds, mut recovery) = (if arguments.quick { 1 } else { 3 }, Duration::ZERO);
    for round in 0..rounds {
        warm_up(&loads.product).await?;
        let ((old, _), time) = kill_primary(&mut cluster, &loads.product).await?;
        recovery = recovery.max(time);
        if round + 1 < rounds {
            cluster.rejoin(old)?;
        }
        cluster.wait_until_whole().await?;
    }
    let note = check(&watch.end().await)?;
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    report.recovery = Some(recovery);
    report.notes = vec![format!("{rounds} kills"), note];
    report.mutants = all.verdicts();
    Ok(report)
}
