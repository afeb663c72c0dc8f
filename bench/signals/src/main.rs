//! A scripted week: runs with a known truth, and CI, merges, thumbs and a source that guesses, each with a known error. People
//! review some runs. After every quarter of a day, the review of each run is compared with what the rules say; at the end,
//! the measured agreement of each source with its known error, its learning rate with its agreement, and the database with
//! the invariants of the fault test. Then a mutant must be caught: a server that forgets signals which arrive before their run.
//!
//! Time is simulated: what happened is made older in the database, and what waits is made due earlier.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod checks;
mod expected;
mod installation;
mod script;
mod week;

use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;
use installation::Installation;
use script::Script;
use week::Week;

#[derive(Debug, Parser)]
struct Arguments {
    /// The number of runs of the week.
    #[arg(long, default_value_t = 500)]
    runs: usize,
    /// A week of 200 runs.
    #[arg(long)]
    quick: bool,
    /// The same seed gives the same week.
    #[arg(long, default_value_t = 61)]
    seed: u64,
    /// The binary `reflect`, a debug build.
    #[arg(long)]
    binary: PathBuf,
    /// A Postgres server on which databases can be created.
    #[arg(long)]
    server: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let runs = if arguments.quick { arguments.runs.min(200) } else { arguments.runs };
    let script = Script::write(arguments.seed, runs);
    println!(
        "seed {}, {runs} runs, {} signals, {} sent twice",
        arguments.seed,
        script.signals(),
        script.repeats()
    );

    let real = Installation::create(&arguments.binary, &arguments.server, &[]).await?;
    let report = Box::pin(Week::new(&script, real).play_all(false)).await?;
    report.print();
    let fault = ["--fault", "forget-early-signals"];
    let mutant = Installation::create(&arguments.binary, &arguments.server, &fault).await?;
    let mutant = Box::pin(Week::new(&script, mutant).play_all(true)).await?;
    let is_caught = mutant.against_the_rules > 0;
    println!("mutant forget-early-signals: {}", if is_caught { "caught" } else { "NOT CAUGHT" });

    println!(
        "signals: {} signals, {} reviews, {} against the rules, {} doubled",
        report.signals, report.reviews, report.against_the_rules, report.doubled
    );
    ensure!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    ensure!(report.against_the_rules == 0 && report.doubled == 0, "the week did not go by the rules");
    ensure!(is_caught, "the mutant was not caught: the week is too easy");
    Ok(())
}
