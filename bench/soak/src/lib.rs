//! The fault test of learning: servers and workers are killed, stopped and continued, Postgres crashes, the provider
//! fails, and clients continue. Then all work is finished without faults, and an audit checks that nothing was lost or
//! duplicated.
//!
//! Then the same is done to the mutants. The run fails unless each of them is detected.
//!
//! Other fault runs use its clients, which log what they sent and what was acknowledged, its auditor, which compares the
//! log with the database, and its scripts of the provider.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod arguments;
pub mod audit;
pub mod client;
pub mod drain;
mod fleet;
mod havoc;
mod mutants;
pub mod provider;
mod report;
mod rescue;
mod world;

use std::time::Duration;

use anyhow::{bail, ensure};
use arguments::Arguments;
use audit::{Findings, Invariant, Violation};
use clap::Parser;
use mutants::Mutant;
use reflect_bench_ingest::cluster::Cluster;
use tokio::signal::unix::{SignalKind, signal};
use world::{Difference, World};

/// How long a mutant may take to finish its work. Unfinished work of a mutant does not fail the run.
const MUTANT_DRAIN: Duration = Duration::from_secs(15);

/// Runs the fault test with the arguments of the process.
pub async fn run() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Also stops its processes and removes its database if a signal ends it.
    tokio::select! {
        outcome = soak(&arguments) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

/// The violations in a database whose work is done, as sentences. For other programs that change it.
pub async fn violations(database_url: &str) -> anyhow::Result<Vec<String>> {
    let found = audit::audit(database_url, &client::Log::default(), true).await?;
    Ok(found.violations.iter().map(ToString::to_string).collect())
}

async fn soak(arguments: &Arguments) -> anyhow::Result<()> {
    let cluster = Cluster::start()?;
    println!("seed {}", arguments.seed);

    let (kills, violations) = real_run(arguments, &cluster).await?;
    let mutants: &[Mutant] = if arguments.no_mutants { &[] } else { &Mutant::ALL };
    let mut caught = 0;
    for mutant in mutants {
        caught += usize::from(mutant_run(arguments, &cluster, *mutant).await?);
    }
    println!("soak: {violations} violations, {kills} kills, {caught} of {} mutants caught", mutants.len());
    ensure!(violations == 0, "{violations} violations");
    ensure!(kills > 0, "nothing was killed, so nothing was tested");
    ensure!(caught == mutants.len(), "a mutant was not caught: the auditor or the faults are too weak");
    Ok(())
}

/// Tests the product. Returns the number of kills and of violations.
async fn real_run(arguments: &Arguments, cluster: &Cluster) -> anyhow::Result<(usize, usize)> {
    let mut world = World::create(arguments, cluster, "real", &Difference::default()).await?;
    let mut rescued = Vec::new();
    for round in 0..arguments.rescues {
        rescued.extend(world.rescue(round).await?);
    }
    if let Some(slowest) = rescued.iter().max().map(Duration::as_secs_f64) {
        println!("rescued job running again after {slowest:.1} s (worst of {})", rescued.len());
        ensure!(slowest <= arguments.rescue_limit, "a rescue took {slowest:.1} s");
    }
    world.haunt().await?;
    let haunted = audit::audit(&world.database_url, &client::Log::default(), true).await?;

    let pause = Duration::from_millis(arguments.pause_ms);
    let (log, done) =
        world.endure(arguments, &arguments.havoc(), provider::bad(arguments.manners()), pause).await?;
    report::clients(&log);
    report::faults(&done, &world.provider.counts());
    let drained = world.drain(Duration::from_secs(arguments.drain_seconds)).await?;
    report::drained(&drained);
    let mut findings = audit::audit(&world.database_url, &log, drained.is_complete()).await?;
    if !drained.is_complete() {
        let what = format!("{} are left after {:.0} s", drained.left, drained.after.as_secs_f64());
        findings.violations.push(Violation::new(Invariant::I5, what));
    }
    findings.violations.extend(haunted.violations);
    ensure!(log.acknowledged() > 0, "nothing was acknowledged, so nothing was tested");
    report::findings(&findings, &world.log);
    Ok((done.kills(), findings.violations.len()))
}

/// Injects faults in rounds until the audit detects the mutant.
async fn mutant_run(arguments: &Arguments, cluster: &Cluster, mutant: Mutant) -> anyhow::Result<bool> {
    let difference = mutant.difference();
    let mut world = World::create(arguments, cluster, mutant.name(), &difference).await?;
    let (mut log, mut done) = (client::Log::default(), havoc::Done::default());
    // Half the pause, because the faults of a mutant need traffic.
    let pause = Duration::from_millis(arguments.pause_ms / 2);
    let mut caught = None;
    for round in 0..arguments.mutant_rounds {
        if mutant.needs_two_workers() {
            world.haunt().await?;
        }
        let script = provider::bad(mutant.manners(arguments));
        let more = world.endure(arguments, &mutant.havoc(arguments, round), script, pause).await?;
        log.absorb(more.0);
        done += more.1;
        let drained = world.drain(MUTANT_DRAIN).await?;
        let Findings { violations, .. } =
            audit::audit(&world.database_url, &log, drained.is_complete()).await?;
        caught = violations.into_iter().find(|violation| mutant.shows_in().contains(&violation.of));
        if caught.is_some() {
            break;
        }
    }
    report::mutant(mutant.name(), &done, caught.as_ref());
    Ok(caught.is_some())
}
