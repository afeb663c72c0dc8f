//! `slow-flush`: every flush of the write-ahead log takes half a second, because strace delays the system call. In the end a
//! session of Postgres is killed, so that Postgres loses what it has not flushed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, cache_part};
use sqlx::{Connection, PgConnection};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use crate::Arguments;
use crate::fault::Report;
use crate::load::{Kind, burst};
use crate::mutant::{ACKNOWLEDGE_BEFORE_COMMIT, Installations};
use crate::signals::send_signal;
use crate::stage::Processes;

const DELAY: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(30);
/// Runs that are recorded at the same time.
const AT_ONCE: usize = 64;
/// So many runs must share a flush. If every commit had a flush of its own, it would be 1.
const SHARED: f64 = 4.0;

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let cluster = Cluster::start()?;
    let mutants = [ACKNOWLEDGE_BEFORE_COMMIT];
    let processes = Processes::default();
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, "slow-flush", &mutants, &processes)).await?;
    let (rounds, length) =
        if arguments.quick { (2, Duration::from_secs(5)) } else { (4, Duration::from_secs(45)) };
    let loads = all.load();
    let (mut slow, mut recovery, mut bursts) = (Vec::new(), Duration::ZERO, Vec::new());
    for _ in 0..rounds {
        loads.product.recovered(Instant::now()).await?;
        let tracer = delay_flushes(&cluster).await?;
        let from = Instant::now();
        sleep(length).await;
        let began = Instant::now();
        let samples = burst(&all.product.client_addresses, &all.product.tenants[1], AT_ONCE).await;
        let stored = samples.stored().count();
        ensure!(stored == AT_ONCE, "of {AT_ONCE} runs that were sent at the same time, {stored} were stored");
        bursts.push(began.elapsed());
        all.product.note(samples);
        slow.push((from, Instant::now()));
        crash(&cluster).await?;
        stop(tracer).await?;
        let to = Instant::now();
        recovery = recovery.max(loads.product.recovered(to).await?);
    }
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    for kind in [Kind::Retrieve, Kind::Record] {
        for (from, to) in &slow {
            let statuses = outcome.samples.statuses(kind, *from, *to);
            ensure!(statuses.successes() == statuses.total(), "{kind} with slow flushes: {statuses}");
            report.notes.push(format!("{kind} with slow flushes: {statuses}"));
        }
    }
    let slowest = bursts.into_iter().max().unwrap_or_default().as_secs_f64();
    let shared = runs_per_flush(slowest);
    ensure!(shared > SHARED, "{AT_ONCE} runs at the same time took {slowest:.1} s: {shared:.1} per flush");
    report.notes.push(format!("{AT_ONCE} runs at the same time took {slowest:.1} s"));
    report.recovery = Some(recovery);
    report.mutants = all.verdicts();
    Ok(report)
}

/// How many of the runs that took this long were stored with each flush, of which one takes place at a time.
fn runs_per_flush(seconds: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let runs = AT_ONCE as f64;
    runs * DELAY.as_secs_f64() / seconds
}

/// Attaches strace to all processes of the cluster, and waits until a flush is slow.
async fn delay_flushes(cluster: &Cluster) -> anyhow::Result<Child> {
    let inject = format!("inject=fdatasync:delay_enter={}", DELAY.as_micros());
    let mut strace = Command::new(cache_part("strace")?.join("strace"));
    strace.args(["-f", "-qqq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", &inject]);
    for process in processes(cluster.data())? {
        strace.args(["-p", &process.to_string()]);
    }
    let tracer = strace.stderr(Stdio::null()).kill_on_drop(true).spawn().context("cannot start strace")?;
    let mut owner = PgConnection::connect(&cluster.url("postgres")).await?;
    let end = Instant::now() + PATIENCE;
    loop {
        let began = Instant::now();
        sqlx::query("select pg_current_xact_id()").execute(&mut owner).await?;
        if began.elapsed() >= DELAY {
            return Ok(tracer);
        }
        ensure!(Instant::now() < end, "strace does not delay flushes; may this user trace Postgres?");
    }
}

/// The processes of a cluster: its first one, and the children of that.
fn processes(data: &Path) -> anyhow::Result<Vec<u32>> {
    let first: u32 = first_line(&data.join("postmaster.pid"))?.parse()?;
    let children = std::fs::read_to_string(format!("/proc/{first}/task/{first}/children"))?;
    let children = children.split_whitespace().map(|id| Ok(id.parse()?));
    std::iter::once(Ok(first)).chain(children).collect()
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Kills a session of Postgres, which ends all others and loses what was not flushed.
async fn crash(cluster: &Cluster) -> anyhow::Result<()> {
    let mut owner = PgConnection::connect(&cluster.url("postgres")).await?;
    let victim: i32 = sqlx::query_scalar(
        "select pid from pg_stat_activity where application_name = 'reflect' order by random() limit 1",
    )
    .fetch_one(&mut owner)
    .await?;
    send_signal(u32::try_from(victim)?, "KILL").await
}

/// Detaches strace.
async fn stop(mut tracer: Child) -> anyhow::Result<()> {
    send_signal(tracer.id().context("strace has ended")?, "TERM").await?;
    timeout(PATIENCE, tracer.wait()).await.context("strace does not end")??;
    Ok(())
}
