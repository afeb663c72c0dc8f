//! `failover-manual`: an operator lets the synchronous standby take over, again and again, under load. A server that is connected
//! to the old primary itself answers reads, and says that it is not ready to write.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::Connection;
use reflect_bench_ingest::process::Server;
use tokio::time::{Instant, sleep};

use super::cluster::{PatroniCluster, Replication};
use super::watch::Watch;
use super::{check, warm_up};
use crate::Arguments;
use crate::fault::Report;
use crate::load::Kind;
use crate::mutant::{ACKNOWLEDGE_BEFORE_COMMIT, Installations};
use crate::stage::Processes;

/// A mutant loses only what it acknowledged in the last milliseconds before the switchover.
const SWITCHOVERS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    const NAME: &str = "failover-manual";
    let cluster = PatroniCluster::start(Replication::Synchronous, 3).await?;
    let (mutants, processes) = ([ACKNOWLEDGE_BEFORE_COMMIT], Processes::default());
    let created = Installations::create(arguments, &cluster, NAME, &mutants, &processes);
    let mut all = Box::pin(created).await?;
    let old = cluster.wait_until_whole().await?;
    let database_url = Some(cluster.members[old].url(NAME));
    let direct = Processes { database_url, ..Processes::default() };
    let direct = all.product.launch(&direct, "api")?.start().await?;
    let loads = all.load();
    let watch = Watch::start(&cluster, all.product.client_addresses.clone());
    let mut recovery = Duration::ZERO;
    for number in 0..SWITCHOVERS {
        warm_up(&loads.product).await?;
        let began = switch_over(&cluster).await?;
        loads.product.succeeds(Kind::Record, began).await?;
        recovery = recovery.max(began.elapsed());
        if number == 0 {
            reads_only(&direct).await?;
        }
    }
    cluster.wait_until_whole().await?;
    let note = check(&watch.end().await)?;
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    report.recovery = Some(recovery);
    report.notes =
        vec![format!("{SWITCHOVERS} switchovers"), note, "a server on the old primary reads only".to_owned()];
    report.mutants = all.verdicts();
    Ok(report)
}

/// Lets the synchronous standby take over. Returns when it began.
async fn switch_over(cluster: &PatroniCluster) -> anyhow::Result<Instant> {
    let old = cluster.wait_until_whole().await?;
    let new = cluster.synchronous().await.context("there is no synchronous standby")?;
    let (leader, candidate) = (&cluster.members[old].name, &cluster.members[new].name);
    let began = Instant::now();
    let words = ["switchover", "faults", "--leader", leader, "--candidate", candidate, "--force"];
    cluster.patronictl(&words).await?;
    ensure!(cluster.wait_until_whole().await? == new, "{candidate} did not take over");
    Ok(began)
}

/// Waits until a server whose database became a standby is ready to read, and never ready to write.
async fn reads_only(server: &Server) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let (read, write) = (status(server, "/ready").await?, status(server, "/ready/write").await?);
        ensure!(write != 200, "a server on a standby is ready to write");
        if read == 200 {
            return Ok(());
        }
        ensure!(Instant::now() < end, "a server on a standby is not ready to read: {read}");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn status(server: &Server, path: &str) -> anyhow::Result<u16> {
    Ok(Connection::open(&server.address).await?.get(path, "").await?.status)
}
