//! `restore-pitr`: a base backup under load with an archive of the write-ahead log, restored to a time within the load.

use std::time::Duration;

use anyhow::ensure;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_bench_ingest::cluster::Cluster;
use tokio::time::{Instant, sleep};

use super::archive::{Archive, BaseBackup, Folder};
use super::committed::{Rows, SETTINGS, later, now, seconds_lost};
use super::{DRAIN, continue_with};
use crate::Arguments;
use crate::fault::Report;
use crate::stage::{Processes, Stage};

const NAME: &str = "restore-pitr";
const LOST_SEGMENT: &str = "a segment of the archive is lost";
/// A segment is archived when it is full, or after this time.
const ARCHIVING: [&str; 2] = ["archive_mode=on", "archive_timeout=2"];

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let folder = Folder::create()?;
    let archive = Archive::create(&folder, "archive")?;
    let cluster = Cluster::start_in(folder.path("source"), &[&SETTINGS[..], &ARCHIVING].concat())?;
    let url = cluster.database(NAME).await?;
    archive.receive(&url).await?;
    let mut stage = Box::pin(Stage::create(arguments, NAME, &url, &Processes::default())).await?;

    let load = stage.load();
    load.recovered(Instant::now()).await?;
    let backup = BaseBackup::take(&folder, &cluster).await?;
    let rest = if arguments.quick { 6.0 } else { 60.0 };
    let chosen = SmallRng::seed_from_u64(arguments.seed).random_range(0.3..0.8) * rest;
    let time = later(&url, chosen).await?;
    sleep(Duration::from_secs_f64(rest)).await;
    // The machine of the server is lost now: what is in the archive can be restored.
    let (lost_at, rescued) = (now(&url).await?, archive.copy(&folder, "rescued")?);
    let outcome = Box::pin(stage.settle(load, DRAIN)).await?;
    archive.complete(&url).await?;
    let (before, after) = (Rows::before(&url, &time).await?, Rows::after(&url, &time).await?);
    ensure!(before.count() > 0 && after.count() > 0, "the load was not on both sides of {time}");

    let mut report = outcome.report();
    let began = Instant::now();
    let restored = backup.restore((&cluster, folder.path("restored")), &archive, Some(&time)).await?;
    let recovered = began.elapsed();
    let restored_url = restored.url(NAME);
    let missing = before.count() - before.count_in(&restored_url).await?;
    let surplus = after.count_in(&restored_url).await?;
    ensure!(surplus == 0, "{surplus} rows are from after the chosen time");
    let continued = Box::pin(continue_with(&stage, &restored_url, &stage.tenants, arguments.seed)).await?;
    report.recovery = Some(recovered + continued.answered);
    report.lost += missing as u64;
    drop(restored);

    let latest = backup.restore((&cluster, folder.path("latest")), &rescued, None).await?;
    let seconds = seconds_lost(&latest.url(NAME), &lost_at).await?;
    drop(latest);
    report.notes.push(format!(
        "{} of {} rows from before the chosen time",
        before.count() - missing,
        before.count()
    ));
    report.notes.push(format!("RPO {seconds:.1} s with archive_timeout 2 s"));
    report.notes.push(format!(
        "RTO {:.1} s, {:.1} s of it Postgres",
        (recovered + continued.answered).as_secs_f64(),
        recovered.as_secs_f64()
    ));
    continued.add_to(&mut report);
    if !arguments.no_mutants {
        let caught = is_noticed(&folder, &cluster, (&backup, &archive), (&time, &before)).await?;
        report.mutants.push((LOST_SEGMENT, caught));
    }
    Ok(report)
}

/// Removes the second segment after the backup. Postgres must refuse to start, or rows must be missing.
async fn is_noticed(
    folder: &Folder,
    cluster: &Cluster,
    (backup, archive): (&BaseBackup, &Archive),
    (time, before): (&str, &Rows),
) -> anyhow::Result<bool> {
    let damaged = archive.copy(folder, "damaged")?;
    let segments = damaged.segments()?;
    let begins = segments.iter().rposition(|name| name.ends_with(".backup"));
    // The name of a backup's history begins with that of the segment where it started.
    let start = begins.map_or("", |at| &segments[at][..24]);
    let lost = segments.iter().filter(|name| name.len() == 24 && name.as_str() > start).nth(1);
    damaged.lose(lost.map_or("", String::as_str))?;
    let restored = backup.restore((cluster, folder.path("from-damaged")), &damaged, Some(time)).await;
    Ok(match restored {
        Err(_) => true,
        Ok(restored) => before.count_in(&restored.url(NAME)).await? < before.count(),
    })
}
