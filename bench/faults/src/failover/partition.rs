//! `failover-partition`: the primary cannot reach etcd any more. It gives up its role, and a standby takes over. At no time do two
//! members accept writes, and nothing that was acknowledged is lost.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::cluster::{PatroniCluster, Replication};
use super::watch::Watch;
use super::{check, warm_up};
use crate::Arguments;
use crate::fault::Report;
use crate::load::Kind;
use crate::mutant::Installations;
use crate::proxy::Mode;
use crate::stage::Processes;

/// In this time another member takes over from one whose Patroni hangs: the TTL of the lock, and an election.
const TAKEOVER: Duration = Duration::from_secs(60);

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let cluster = PatroniCluster::start(Replication::Synchronous, 3).await?;
    let processes = Processes::default();
    let created = Installations::create(arguments, &cluster, "failover-partition", &[], &processes);
    let mut all = Box::pin(created).await?;
    let loads = all.load();
    let watch = Watch::start(&cluster, all.product.client_addresses.clone());
    let (rounds, mut recovery) = (if arguments.quick { 1 } else { 2 }, Duration::ZERO);
    for _ in 0..rounds {
        warm_up(&loads.product).await?;
        let old = cluster.wait_until_whole().await?;
        let began = Instant::now();
        cluster.members[old].to_etcd.set(Mode::Stall);
        cluster.wait_for_primary(&HashSet::from([old])).await?;
        let promoted = Instant::now();
        loads.product.succeeds(Kind::Record, promoted).await?;
        recovery = recovery.max(began.elapsed());
        cluster.members[old].to_etcd.set(Mode::Pass);
        cluster.wait_until_whole().await?;
    }
    let note = check(&watch.end().await)?;
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    report.recovery = Some(recovery);
    report.notes = vec![format!("{rounds} partitions, never two primaries"), note];
    if !arguments.no_mutants {
        report.mutants.push(("a primary that cannot give up its role", hangs(&cluster).await?));
    }
    Ok(report)
}

/// Stops Patroni on the primary, so that nothing makes it give up its role. Returns whether two primaries were seen.
async fn hangs(cluster: &PatroniCluster) -> anyhow::Result<bool> {
    let old = cluster.wait_until_whole().await?;
    let watch = Watch::start(cluster, Vec::new());
    cluster.members[old].signal_patroni("STOP").await?;
    let end = Instant::now() + TAKEOVER;
    while !watch.has_seen_two() && Instant::now() < end {
        sleep(Duration::from_millis(50)).await;
    }
    cluster.members[old].signal_patroni("CONT").await?;
    Ok(watch.end().await.two_primaries > 0)
}
