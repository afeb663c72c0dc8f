//! Tests the loop and the server as complete programs. A task that fails and then passes leaves the expected data in
//! the server, and another process learns from it. A loop that is killed in any phase and resumed by a new process
//! repeats only the current step, and records nothing twice.
//!
//! Two mutants must be detected: one ignores its checkpoint, the other uses another idempotency key each time.

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

/// Sets up the environment, runs the checks, and removes it.
async fn with_stage(
    wish: &Wish,
    name: &str,
    play: impl AsyncFnOnce(&Stage) -> anyhow::Result<Checks>,
) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let stage = Stage::build(wish).await?;
    // Also stops its processes and removes its database if a signal ends it.
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
