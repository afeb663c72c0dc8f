//! `failover-async`: a primary with one asynchronous standby, which is behind when the primary fails. What is lost is exactly what
//! Postgres reports: the commits after the position at which the standby was promoted. The rest is consistent.

use std::collections::HashSet;

use anyhow::{Context, ensure};
use reflect_soak::audit::audit;
use reflect_soak::client::Log;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use super::cluster::{PatroniCluster, Replication};
use super::lost_log::LostLog;
use super::watch::Watch;
use super::{check, kill_primary, warm_up};
use crate::Arguments;
use crate::fault::Report;
use crate::mutant::{DRAIN, Databases};
use crate::stage::{Outcome, Processes, Stage};

const NAME: &str = "failover-async";
const STORED: &str = "select trace_id from trace where trace_id = any($1)";

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let mut cluster = PatroniCluster::start(Replication::Asynchronous, 2).await?;
    let url = cluster.database(NAME).await?;
    let mut stage = Box::pin(Stage::create(arguments, NAME, &url, &Processes::default())).await?;
    let load = stage.load();
    let watch = Watch::start(&cluster, stage.client_addresses.clone());
    warm_up(&load).await?;
    let (members, recovery) = kill_primary(&mut cluster, &load).await?;
    let reported = LostLog::read(&cluster, members, NAME).await?;
    warm_up(&load).await?;
    let ready = check(&watch.end().await)?;
    let outcome = Box::pin(stage.settle(load, DRAIN)).await?;

    let (traces, reviews) = missing(&outcome);
    let beyond = traces.difference(&reported.traces).count() + reviews.difference(&reported.reviews).count();
    let still_there = stored(&url, &reported.traces).await?.len();
    ensure!(still_there == 0, "{still_there} traces are there although Postgres reports them as lost");
    ensure!(!traces.is_empty(), "nothing was lost, so nothing was tested");
    let inconsistent = audit(&url, &Log::default(), true).await?.violations;
    inconsistent.iter().for_each(|violation| eprintln!("{NAME}: {violation}"));
    let mut report = outcome.report();
    report.lost = (beyond + inconsistent.len()) as u64;
    // A repeated call may be answered in another way if the first answer was lost, but not stored twice.
    report.doubled =
        outcome.violations.iter().filter(|violation| violation.what.contains("is stored")).count() as u64;
    report.recovery = Some(recovery);
    report.notes = vec![
        format!(
            "{} acknowledged traces and {} reviews were lost, all of them reported by Postgres",
            traces.len(),
            reviews.len()
        ),
        format!("Postgres lost {} transactions after {}", reported.transactions, reported.position),
        format!("{} violations among the rest", inconsistent.len()),
        ready,
    ];
    if !arguments.no_mutants {
        report
            .mutants
            .push(("more is lost than Postgres reports", loses_more(&url, &outcome, &reported).await?));
    }
    Ok(report)
}

/// The acknowledged traces and reviews that the audit did not find.
fn missing(outcome: &Outcome) -> (HashSet<Uuid>, HashSet<Uuid>) {
    let of = |kind: &str| {
        let found = outcome.violations.iter().filter_map(|violation| {
            violation.what.strip_prefix(kind)?.strip_suffix(" is not there")?.parse().ok()
        });
        found.collect()
    };
    (of("acknowledged trace "), of("acknowledged review "))
}

/// Those of the traces that are stored.
async fn stored(url: &str, traces: &HashSet<Uuid>) -> anyhow::Result<HashSet<Uuid>> {
    let mut connection = PgConnection::connect(url).await?;
    let traces: Vec<Uuid> = traces.iter().copied().collect();
    Ok(sqlx::query_scalar::<_, Uuid>(STORED)
        .bind(traces)
        .fetch_all(&mut connection)
        .await?
        .into_iter()
        .collect())
}

/// Removes an acknowledged trace from the new primary. Returns whether the comparison with the report of Postgres shows it.
async fn loses_more(url: &str, outcome: &Outcome, reported: &LostLog) -> anyhow::Result<bool> {
    let acknowledged: HashSet<Uuid> = outcome.samples.stored().collect();
    let present = stored(url, &acknowledged).await?;
    let removed = present.iter().next().context("all acknowledged traces are lost")?;
    let mut connection = PgConnection::connect(url).await?;
    sqlx::query("delete from trace where trace_id = $1").bind(removed).execute(&mut connection).await?;
    let present = stored(url, &acknowledged).await?;
    Ok(acknowledged.difference(&present).any(|lost| !reported.traces.contains(lost)))
}
