//! The crash test of single effects: a process ends before and after every commit, every call of a model, every delivery and
//! every file of a move. Clients continue, the next process finishes the work, and an audit checks that nothing was lost,
//! doubled or forgotten. Then five mutants must be detected.
//!
//! With `--count`, processes end at random places instead, in rounds, and the figures of several invocations add up in a
//! file.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod delivery;
mod errands;
mod moves;
mod mutants;
mod points;
mod random;
mod receiver;
mod stage;
mod state;

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Parser;
use mutants::Mutant;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Violation;
use state::State;
use tokio::signal::unix::{SignalKind, signal};

/// Ends processes at the places of external effects, and then checks that nothing was lost or duplicated.
#[derive(Debug, Clone, Parser)]
struct Arguments {
    /// The binary `reflect`: a debug build, because others have no such places.
    #[arg(long)]
    binary: PathBuf,
    /// The random seed of clients and of random places. The timing of processes varies, so a seed repeats the plan, not
    /// the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only places whose name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// End processes at random places, until so many were ended in all invocations with the same --state.
    #[arg(long)]
    count: Option<u64>,
    /// The file in which the figures of random places add up.
    #[arg(long, default_value = "target/kills.json")]
    state: PathBuf,
    /// How many random ends make a round, after which everything is audited.
    #[arg(long, default_value_t = 250)]
    round: u64,
    /// Skip the mutants. The run then proves less.
    #[arg(long)]
    no_mutants: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Also stops its processes and removes its database if a signal ends it.
    tokio::select! {
        outcome = run(&arguments) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let cluster = Cluster::start()?;
    println!("seed {}", arguments.seed);
    let mut state = match arguments.count {
        Some(_) => State::read(&arguments.state)?,
        None => State::default(),
    };
    let violations = match arguments.count {
        Some(count) => Box::pin(random::run(arguments, &cluster, &mut state, count)).await?,
        None => Box::pin(each_place(arguments, &cluster, &mut state)).await?,
    };
    violations.iter().for_each(|violation| println!("violation: {violation}"));
    state.violations += violations.len() as u64;
    if !arguments.no_mutants && arguments.only.is_none() && state.mutants < Mutant::ALL.len() {
        state.mutants = Box::pin(mutants::caught(arguments, &cluster)).await?;
    }
    if arguments.count.is_some() {
        state.write(&arguments.state)?;
    }
    println!(
        "kills: {} kills at {} points, {} violations, {} of {} mutants caught",
        state.kills(),
        state.points.len(),
        state.violations,
        state.mutants,
        Mutant::ALL.len()
    );
    ensure!(state.violations == 0, "{} violations", state.violations);
    let all_caught = state.mutants == Mutant::ALL.len();
    ensure!(
        all_caught || arguments.no_mutants || arguments.only.is_some(),
        "a mutant was not caught: the audit or the places are too weak"
    );
    Ok(())
}

/// Every place once.
async fn each_place(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
) -> anyhow::Result<Vec<Violation>> {
    let wanted = |place: &String| arguments.only.as_ref().is_none_or(|only| place.contains(only.as_str()));
    let mut violations = Box::pin(points::run(arguments, cluster, state, &wanted)).await?;
    violations.extend(Box::pin(moves::run(arguments, cluster, state, &wanted)).await?);
    violations.extend(Box::pin(delivery::run(arguments, cluster, state, &wanted)).await?);
    Ok(violations)
}
