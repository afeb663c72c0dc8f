//! `restore-pack`: the pack of one project, exported under load and imported into an empty installation. `just move-project`
//! kills export and import and compares every row; this run only shows that a pack is a usable backup.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::client::Tenant;
use tokio::time::{Instant, sleep};

use super::archive::Folder;
use super::committed::{Rows, SETTINGS, now};
use super::programs::reflect;
use super::{DRAIN, continue_with};
use crate::Arguments;
use crate::fault::Report;
use crate::stage::{Processes, Stage};

const NAME: &str = "restore-pack";
const LOST_PART: &str = "a part of the pack is lost";

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let folder = Folder::create()?;
    let cluster = Cluster::start_in(folder.path("source"), &SETTINGS)?;
    let url = cluster.database(NAME).await?;
    let mut stage = Box::pin(Stage::create(arguments, NAME, &url, &Processes::default())).await?;
    let load = stage.load();
    load.recovered(Instant::now()).await?;
    sleep(Duration::from_secs(if arguments.quick { 2 } else { 30 })).await;
    let time = now(&url).await?;
    let (slug, pack) = (stage.tenants[0].slug.clone(), folder.path("pack"));
    let pack = pack.to_str().context("a path that is not text")?;
    reflect(&arguments.binary, &url, &["export", "--project", &slug, "--to", pack]).await?;
    let outcome = Box::pin(stage.settle(load, DRAIN)).await?;
    let before = Rows::before_in(&url, &time, Some(&slug)).await?;
    ensure!(before.count() > 0, "nothing was committed before the export");

    let mut report = outcome.report();
    let began = Instant::now();
    let restored = cluster.database("restored").await?;
    reflect(&arguments.binary, &restored, &["migrate"]).await?;
    reflect(&arguments.binary, &restored, &["import", "--from", pack]).await?;
    reflect(&arguments.binary, &restored, &["verify", "--from", pack, "--project", &slug]).await?;
    let recovered = began.elapsed();
    let missing = before.count() - before.count_in(&restored).await?;
    // A pack contains no keys.
    let processes = Processes { database_url: Some(restored.clone()), ..Processes::default() };
    let key = stage.launch(&processes, "api")?.key(&slug).await?;
    let tenants = [Tenant { slug: slug.clone(), key }];
    let continued = Box::pin(continue_with(&stage, &restored, &tenants, arguments.seed)).await?;
    report.recovery = Some(recovered + continued.answered);
    report.lost += missing as u64;
    report.notes.push(format!(
        "{} of {} rows from before the export",
        before.count() - missing,
        before.count()
    ));
    report.notes.push(format!(
        "RTO {:.1} s; RPO is the age of the pack",
        (recovered + continued.answered).as_secs_f64()
    ));
    continued.add_to(&mut report);
    if !arguments.no_mutants {
        lose_part(Path::new(pack))?;
        let import =
            reflect(&arguments.binary, &restored, &["import", "--from", pack, "--as", "damaged"]).await;
        report.mutants.push((LOST_PART, import.is_err()));
    }
    Ok(report)
}

/// Removes a file of the ledger.
fn lose_part(pack: &Path) -> anyhow::Result<()> {
    let folder = pack.join("utility_event");
    let part =
        std::fs::read_dir(&folder)?.next().with_context(|| format!("{} is empty", folder.display()))??;
    Ok(std::fs::remove_file(part.path())?)
}
