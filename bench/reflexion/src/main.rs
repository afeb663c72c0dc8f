//! The loop and the server together, as whole programs: a task that fails and then passes leaves what it should in the
//! server's memory, another process learns from it, and a loop that is killed in any phase and resumed by a new process
//! pays for nothing twice but the step under way, and records nothing twice.
//!
//! Two mutants, one that forgets its checkpoint and one that records under another key each time, have to be caught.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod arguments;
mod checks;
mod examples;
mod killing;
mod learning;
mod looping;
mod process;
mod stage;

use anyhow::ensure;
use arguments::{Arguments, Command, Wish};
use checks::Checks;
use clap::Parser;
use stage::Stage;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Loop(plan) => looping::run(&plan).await,
        Command::Check(wish) => with_stage(&wish, "reflexion", play).await,
        Command::Examples { wish, folder } => {
            with_stage(&wish, "rust-examples", async |stage| examples::play(stage, &folder).await).await
        }
    }
}

/// Builds a stage, plays on it, and clears it away.
async fn with_stage(
    wish: &Wish,
    name: &str,
    play: impl AsyncFnOnce(&Stage) -> anyhow::Result<Checks>,
) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let stage = Stage::build(wish).await?;
    // Ended from outside, it still takes its processes and its database with it.
    let outcome = tokio::select! {
        outcome = play(&stage) => outcome,
        _ = terminate.recv() => Err(anyhow::anyhow!("told to stop")),
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("told to stop")),
    };
    stage.clear().await?;
    let checks = outcome?;
    ensure!(checks.failed() == 0, "{} of {} checks failed", checks.failed(), checks.made());
    println!("{name}: {} checks passed", checks.made());
    Ok(())
}

async fn play(stage: &Stage) -> anyhow::Result<Checks> {
    let mut checks = Checks::default();
    learning::play(stage, &mut checks).await?;
    killing::play(stage, &mut checks).await?;
    Ok(checks)
}
