//! `disk-full-data`: no space is left where Postgres keeps its data folder, which includes the write-ahead log.

use std::time::Duration;

use anyhow::ensure;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Invariant;
use tokio::time::{Instant, sleep};

use super::{Full, check_memory, check_recordings};
use crate::Arguments;
use crate::disk::Disk;
use crate::fault::Report;
use crate::load::Kind;
use crate::mutant::{Installations, Mutant};
use crate::stage::Processes;

/// Enough for a cluster with three databases and its write-ahead log.
const MEGABYTES: u64 = 1024;
/// A few segments, so that the log does not use the disk.
const SETTINGS: [&str; 2] = ["min_wal_size=64MB", "max_wal_size=128MB"];

/// A write that fails for lack of space is ignored.
const IGNORED_ERRORS: Mutant = Mutant {
    name: "errors of writes are ignored",
    statements: &[
        "create table body_copy (body bytea)",
        "alter table body_copy alter body set storage external",
        "create function ignore_errors() returns trigger language plpgsql security definer as $$ begin \
           begin insert into public.body_copy values (new.body); exception when others then return null; end; \
           return new; end $$",
        "create trigger ignore_errors before insert on trace_body for each row execute function ignore_errors()",
    ],
    fault: None,
    shows_in: &[Invariant::I1],
};

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let disk = Disk::mount(MEGABYTES)?;
    let cluster = Cluster::start_in(disk.folder().join("data"), &SETTINGS)?;
    let name = "disk-full-data";
    let mutants = [IGNORED_ERRORS];
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, name, &mutants, &Processes::default())).await?;
    let (rounds, full_for) =
        if arguments.quick { (1, Duration::from_secs(5)) } else { (3, Duration::from_secs(40)) };
    let (mut fulls, mut recovery) = (Vec::new(), Duration::ZERO);
    let loads = all.load();
    for _ in 0..rounds {
        loads.product.recovered(Instant::now()).await?;
        let from = Instant::now();
        disk.fill()?;
        loads.product.fails(Kind::Record, from).await?;
        sleep(full_for).await;
        let to = Instant::now();
        disk.free()?;
        fulls.push(Full { from, to });
        recovery = recovery.max(loads.product.recovered(to).await?);
    }
    let outcome = Box::pin(all.settle(loads)).await?;
    let (mut refused, mut retrieved) = (0, 0);
    for full in fulls {
        refused += check_recordings(&outcome.samples, full)?;
        let retrievals = outcome.samples.statuses(Kind::Retrieve, full.from, full.to);
        ensure!(retrievals.successes() == retrievals.total(), "retrievals on a full disk: {retrievals}");
        retrieved += retrievals.successes();
    }
    let mut report = outcome.report();
    report.recovery = Some(recovery);
    report.notes = vec![
        format!("{refused} recordings got 503 with Retry-After"),
        format!("{retrieved} of {retrieved} retrievals were answered"),
        format!("at most {} MB per process", check_memory(&all.product)?),
    ];
    report.mutants = all.verdicts();
    Ok(report)
}
