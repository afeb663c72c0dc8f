//! `connections-exhausted`: other sessions take all connections that Postgres allows. First the processes keep those that they
//! have; then these end too, and other sessions take their place.

use std::time::Duration;

use anyhow::ensure;
use reflect_bench_ingest::cluster::{Cluster, cache_folder, free_port};
use sqlx::{Connection, PgConnection};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::Arguments;
use crate::fault::Report;
use crate::load::{Kind, Samples};
use crate::mutant::{Installations, UTILITY_OUTSIDE_TRANSACTION};
use crate::stage::Processes;

const SETTINGS: [&str; 1] = ["max_connections=100"];
/// How many other programs want connections.
const OTHERS: usize = 110;
/// How long one of them waits before it tries again.
const RETRY: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(30);

/// Ends all sessions of the processes, and counts them.
const END_SESSIONS: &str =
    "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'reflect'";

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let name = "connections-exhausted";
    let folder = cache_folder()?.join(format!("run-{}-{}", std::process::id(), free_port()?));
    let cluster = Cluster::start_in(folder, &SETTINGS)?;
    let mutants = [UTILITY_OUTSIDE_TRANSACTION];
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, name, &mutants, &Processes::default())).await?;
    let (rounds, length) =
        if arguments.quick { (2, Duration::from_secs(5)) } else { (5, Duration::from_secs(30)) };
    let (mut kept, mut ended, mut recovery) = (Vec::new(), Vec::new(), Duration::ZERO);
    let mut owner = PgConnection::connect(&cluster.url("postgres")).await?;
    let loads = all.load();
    for _ in 0..rounds {
        loads.product.recovered(Instant::now()).await?;
        let others = take_connections(&cluster);
        wait_until_exhausted(&cluster).await?;
        let from = Instant::now();
        sleep(length).await;
        kept.push((from, Instant::now()));
        end_sessions(&mut owner).await?;
        let from = Instant::now();
        loads.product.fails(Kind::Record, from).await?;
        sleep(length).await;
        let to = Instant::now();
        ended.push((from, to));
        drop(others);
        recovery = recovery.max(loads.product.recovered(to).await?);
    }
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    for (what, times) in [("while processes kept their connections", kept), ("without connections", ended)] {
        for kind in [Kind::Retrieve, Kind::Record] {
            let counted = times.iter().map(|(from, to)| outcome.samples.statuses(kind, *from, *to));
            let statuses = counted.reduce(|sum, more| sum.plus(&more)).unwrap_or_default();
            report.notes.push(format!("{kind} {what}: {statuses}"));
        }
        for (from, to) in times {
            check(&outcome.samples, from, to)?;
        }
    }
    report.recovery = Some(recovery);
    report.mutants = all.verdicts();
    Ok(report)
}

/// Every answer is a success, or 503 with `Retry-After`.
fn check(samples: &Samples, from: Instant, to: Instant) -> anyhow::Result<()> {
    for kind in [Kind::Retrieve, Kind::Record] {
        for sample in samples.between(kind, from, to) {
            let refused = sample.status == Some(503) && sample.has_retry_after;
            ensure!(sample.is_success() || refused, "an answer without connections: {sample:?}");
        }
    }
    Ok(())
}

/// Other programs, which take every connection as soon as it is free, until they are dropped.
fn take_connections(cluster: &Cluster) -> JoinSet<()> {
    let mut others = JoinSet::new();
    for _ in 0..OTHERS {
        let url = cluster.url("postgres");
        others.spawn(async move {
            loop {
                if let Ok(_connection) = PgConnection::connect(&url).await {
                    std::future::pending::<()>().await;
                }
                sleep(RETRY).await;
            }
        });
    }
    others
}

/// Ends the sessions of all processes, again and again, until other programs have all connections.
async fn end_sessions(owner: &mut PgConnection) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let ended: i64 = sqlx::query_scalar(END_SESSIONS).fetch_one(&mut *owner).await?;
        if ended == 0 {
            return Ok(());
        }
        ensure!(Instant::now() < end, "processes still have {ended} connections");
        sleep(RETRY).await;
    }
}

async fn wait_until_exhausted(cluster: &Cluster) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    while PgConnection::connect(&cluster.url("postgres")).await.is_ok() {
        ensure!(Instant::now() < end, "Postgres still accepts connections");
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}
