//! `disk-full-wal`: no space is left where Postgres keeps its write-ahead log, because an abandoned replication slot keeps all of
//! it. Postgres ends itself with a PANIC when it needs a new segment. It starts again by itself, or the run starts it, as a
//! service manager does.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, cache_folder, free_port};
use sqlx::{Connection, Executor, PgConnection};
use tokio::time::{Instant, sleep};

use super::{Full, check_memory};
use crate::Arguments;
use crate::disk::Disk;
use crate::fault::Report;
use crate::load::Kind;
use crate::mutant::{ACKNOWLEDGE_BEFORE_COMMIT, Installations};
use crate::stage::Processes;

/// Enough for the segments of the migrations.
const MEGABYTES: u64 = 512;
const SETTINGS: [&str; 2] = ["min_wal_size=32MB", "max_wal_size=64MB"];
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let disk = Disk::mount(MEGABYTES)?;
    let folder = cache_folder()?.join(format!("run-{}-{}", std::process::id(), free_port()?));
    let cluster = Cluster::start_in(folder, &SETTINGS)?;
    cluster.stop()?;
    disk.take_wal(&cluster)?;
    cluster.start_again(&SETTINGS)?;
    let name = "disk-full-wal";
    let mutants = [ACKNOWLEDGE_BEFORE_COMMIT];
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, name, &mutants, &Processes::default())).await?;
    let (rounds, full_for) =
        if arguments.quick { (3, Duration::from_secs(3)) } else { (6, Duration::from_secs(30)) };
    let (mut fulls, mut recovery, mut starts) = (Vec::new(), Duration::ZERO, 0);
    let loads = all.load();
    for _ in 0..rounds {
        loads.product.recovered(Instant::now()).await?;
        let mut owner = PgConnection::connect(&all.product.database_url).await?;
        owner.execute("select pg_create_physical_replication_slot('abandoned', true)").await?;
        let from = Instant::now();
        disk.fill()?;
        use_up_segments(&mut owner).await?;
        let panicked = Instant::now();
        loads.product.fails(Kind::Record, panicked).await?;
        sleep(full_for).await;
        let to = Instant::now();
        disk.free()?;
        fulls.push(Full { from: panicked, to });
        starts += usize::from(ensure_started(&cluster).await?);
        recovery = recovery.max(loads.product.recovered(to).await?);
        let mut owner = PgConnection::connect(&all.product.database_url).await?;
        owner.execute("select pg_drop_replication_slot('abandoned')").await?;
        ensure!(panicked > from);
    }
    let outcome = Box::pin(all.settle(loads)).await?;
    let panics = std::fs::read_to_string(cluster.log())?.matches("PANIC:").count();
    ensure!(panics >= rounds, "Postgres had {panics} PANICs in {rounds} times without space for its log");
    let mut report = outcome.report();
    report.recovery = Some(recovery);
    report.notes.push(format!("Postgres had {panics} PANICs and was started {starts} times"));
    for full in fulls {
        let recordings = outcome.samples.statuses(Kind::Record, full.from, full.to);
        let retrievals = outcome.samples.statuses(Kind::Retrieve, full.from, full.to);
        report.notes.push(format!("recordings {recordings}"));
        report.notes.push(format!("retrievals {retrievals}"));
    }
    report.notes.push(format!("at most {} MB per process", check_memory(&all.product)?));
    report.mutants = all.verdicts();
    Ok(report)
}

/// Lets the log change segments until there is no space for another one.
async fn use_up_segments(connection: &mut PgConnection) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    // A segment is changed only if it contains something.
    let message = "select pg_logical_emit_message(false, 'faults', 'x')";
    while connection.execute(message).await.is_ok()
        && connection.execute("select pg_switch_wal()").await.is_ok()
    {
        ensure!(Instant::now() < end, "the write-ahead log still has space");
    }
    Ok(())
}

/// Starts Postgres if it has not started by itself. Returns whether that was necessary.
async fn ensure_started(cluster: &Cluster) -> anyhow::Result<bool> {
    let end = Instant::now() + PATIENCE;
    let pid_file = cluster.data().join("postmaster.pid");
    loop {
        let connected = tokio::time::timeout(PATIENCE, PgConnection::connect(&cluster.url("postgres"))).await;
        if connected.is_ok_and(|connection| connection.is_ok()) {
            return Ok(false);
        }
        if !pid_file.exists() {
            cluster.start_again(&SETTINGS).context("Postgres cannot start although there is space again")?;
            return Ok(true);
        }
        ensure!(Instant::now() < end, "Postgres did not recover within {} s", PATIENCE.as_secs());
        sleep(Duration::from_millis(100)).await;
    }
}
