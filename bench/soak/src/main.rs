//! The fault run of learning: servers and workers are killed, stopped and woken, Postgres crashes, the
//! provider misbehaves, and clients go on. Then all of it is let finish, and an auditor looks for
//! anything that was lost, doubled or forgotten.
//!
//! The same is then done to four mutants. A run that does not catch each of them fails.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod arguments;
mod audit;
mod client;
mod fleet;
mod havoc;
mod mutants;
mod provider;
mod report;
mod rescue;
mod world;

use std::path::Path;
use std::time::Duration;

use anyhow::{bail, ensure};
use arguments::Arguments;
use audit::{Findings, Invariant, Violation};
use clap::Parser;
use mutants::Mutant;
use reflect_bench_ingest::binary;
use reflect_bench_ingest::cluster::Cluster;
use tokio::signal::unix::{SignalKind, signal};
use world::{Difference, World};

/// How long a mutant may take to finish its work; what it leaves undone is no fault of the run.
const MUTANT_DRAIN: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Ended from outside, it still takes its processes and its database with it.
    tokio::select! {
        outcome = soak(&arguments) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

async fn soak(arguments: &Arguments) -> anyhow::Result<()> {
    let (real, faulty) = match (&arguments.binary, &arguments.faulty_binary) {
        (Some(real), Some(faulty)) => (real.clone(), faulty.clone()),
        _ => (binary::build(arguments.scope, &[])?, binary::build(arguments.scope, binary::FAULTS)?),
    };
    let cluster = Cluster::start()?;
    println!("seed {}", arguments.seed);

    let (kills, violations) = real_run(arguments, &cluster, &real).await?;
    let mutants: &[Mutant] = if arguments.no_mutants { &[] } else { &Mutant::ALL };
    let mut caught = 0;
    for mutant in mutants {
        let binary = if mutant.needs_faults() { &faulty } else { &real };
        caught += usize::from(mutant_run(arguments, &cluster, binary, *mutant).await?);
    }
    println!("soak: {violations} violations, {kills} kills, {caught} of {} mutants caught", mutants.len());
    ensure!(violations == 0, "{violations} violations");
    ensure!(kills > 0, "nothing was killed, so nothing was tested");
    ensure!(caught == mutants.len(), "a mutant was not caught: the auditor or the faults are too weak");
    Ok(())
}

/// The product as it is. Says how much was killed and how many violations there are.
async fn real_run(arguments: &Arguments, cluster: &Cluster, binary: &Path) -> anyhow::Result<(usize, usize)> {
    let mut world =
        World::create(arguments, cluster, "real", binary.to_owned(), &Difference::default()).await?;
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

/// Rounds of faults until the auditor notices.
async fn mutant_run(
    arguments: &Arguments,
    cluster: &Cluster,
    binary: &Path,
    mutant: Mutant,
) -> anyhow::Result<bool> {
    let difference = mutant.difference();
    let mut world = World::create(arguments, cluster, mutant.name(), binary.to_owned(), &difference).await?;
    let (mut log, mut done) = (client::Log::default(), havoc::Done::default());
    // Half the pause: what a mutant does wrong it does in passing, so there has to be traffic.
    let pause = Duration::from_millis(arguments.pause_ms / 2);
    let mut caught = None;
    for round in 0..arguments.mutant_rounds {
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
