//! `restore-dump`: a dump of a live system, restored on another cluster.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::{Invariant, audit};
use reflect_soak::client::Log;
use reflect_soak::drain::drain;
use tokio::time::{Instant, sleep};

use super::archive::Folder;
use super::committed::{Rows, SETTINGS, now};
use super::programs::{postgres, reflect};
use super::{DRAIN, continue_with};
use crate::Arguments;
use crate::fault::Report;
use crate::load::Load;
use crate::stage::{Processes, Stage};

const NAME: &str = "restore-dump";
const TWO_TRANSACTIONS: &str = "a dump of two transactions";
/// What a restore on another machine and as another user needs, as the documentation says.
const RESTORE: [&str; 4] = ["--no-owner", "--no-privileges", "--no-comments", "--exit-on-error"];
/// The ledger, which belongs to the reviews and the utilities.
const LATER_TABLE: &str = "utility_event";
/// What shows that the ledger is from another time.
const SHOWS_IN: [Invariant; 2] = [Invariant::I2, Invariant::I3];

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let folder = Folder::create()?;
    let source = Cluster::start_in(folder.path("source"), &SETTINGS)?;
    let target = Cluster::start_in(folder.path("target"), &SETTINGS)?;
    let url = source.database(NAME).await?;
    let mut stage = Box::pin(Stage::create(arguments, NAME, &url, &Processes::default())).await?;
    let load = stage.load();
    load.recovered(Instant::now()).await?;
    sleep(Duration::from_secs(if arguments.quick { 2 } else { 30 })).await;
    let (time, began) = (now(&url).await?, Instant::now());
    let file = folder.path("reflect.dump");
    let file = file.to_str().context("a path that is not text")?;
    dump(&url, file, &[]).await?;
    let took = began.elapsed();
    let mutant = match arguments.no_mutants {
        true => None,
        false => Some(two_transactions(&folder, &url, &load).await?),
    };
    let outcome = Box::pin(stage.settle(load, DRAIN)).await?;
    let before = Rows::before(&url, &time).await?;
    ensure!(before.count() > 0, "nothing was committed before the dump");

    let mut report = outcome.report();
    let began = Instant::now();
    let restored = target.database(NAME).await?;
    restore(&restored, file, &[]).await?;
    reflect(&arguments.binary, &restored, &["migrate"]).await?;
    let recovered = began.elapsed();
    let missing = before.count() - before.count_in(&restored).await?;
    let continued = Box::pin(continue_with(&stage, &restored, &stage.tenants, arguments.seed)).await?;
    report.recovery = Some(recovered + continued.answered);
    report.lost += missing as u64;
    report.notes.push(format!(
        "{} of {} rows from before the dump",
        before.count() - missing,
        before.count()
    ));
    report.notes.push(format!("dumped in {:.1} s; RPO is the age of the dump", took.as_secs_f64()));
    report.notes.push(format!("RTO {:.1} s", (recovered + continued.answered).as_secs_f64()));
    continued.add_to(&mut report);
    if let Some(files) = mutant {
        let caught = is_inconsistent(&stage, &target, &files).await?;
        report.mutants.push((TWO_TRANSACTIONS, caught));
    }
    Ok(report)
}

async fn dump(url: &str, file: &str, further: &[&str]) -> anyhow::Result<()> {
    let own = ["--format", "custom", "--no-owner", "--file", file];
    postgres("pg_dump", &[&own[..], further, &[url]].concat()).await.map(drop)
}

async fn restore(url: &str, file: &str, further: &[&str]) -> anyhow::Result<()> {
    postgres("pg_restore", &[&RESTORE[..], further, &["--dbname", url, file]].concat()).await.map(drop)
}

/// Dumps everything except one table, and later that table.
async fn two_transactions(folder: &Folder, url: &str, load: &Load) -> anyhow::Result<[String; 2]> {
    let path = |name: &str| folder.path(name).to_str().map(str::to_owned).context("a path that is not text");
    let files = [path("first.dump")?, path("second.dump")?];
    let (excluded, included) = (
        format!("--exclude-table-data-and-children={LATER_TABLE}"),
        format!("--table-and-children={LATER_TABLE}"),
    );
    dump(url, &files[0], &[&excluded]).await?;
    let later = Instant::now();
    load.recovered(later).await?;
    sleep(Duration::from_secs(2)).await;
    dump(url, &files[1], &["--data-only", &included]).await?;
    Ok(files)
}

async fn is_inconsistent(stage: &Stage, target: &Cluster, files: &[String; 2]) -> anyhow::Result<bool> {
    let url = target.database("mutant").await?;
    restore(&url, &files[0], &[]).await?;
    restore(&url, &files[1], &["--data-only"]).await?;
    let processes = Processes { database_url: Some(url.clone()), ..Processes::default() };
    let _worker = stage.launch(&processes, "worker")?.start().await?;
    let drained = drain(&url, Duration::from_secs(15)).await?;
    let found = audit(&url, &Log::default(), drained.is_complete()).await?;
    Ok(found.violations.iter().any(|violation| SHOWS_IN.contains(&violation.of)))
}
