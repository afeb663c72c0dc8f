//! The scale benchmark: how cost grows with projects, memories, jobs, ledger entries and requests. It seeds a Postgres of
//! its own by COPY, runs the real binary or the server in this process, and compares each figure with its target.
//!
//! Ratios compare two measurements of one run, so they are portable; milliseconds are not. The statements that know the
//! schema are in `sql`; everything else uses the binary and its API. So most changes of the product need no change here.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

mod arguments;
mod client;
mod copy_format;
mod figure;
mod memory_bank;
mod real_vectors;
mod rows;
mod server_log;
mod stage;
mod statements;
mod worker_process;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use figure::{Figure, Headline, Verdict};
use reflect_bench_query::server::start_telemetry;
use rows::RowName;
use stage::Stage;

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(database_url) = &arguments.work {
        worker_process::run(database_url)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.list {
        for row in RowName::ALL {
            println!("{:<16} {}", row.name(), row.purpose());
        }
        return Ok(ExitCode::SUCCESS);
    }
    start_telemetry()?;
    let stage = Stage::start(&arguments)?;
    let mut table = Vec::new();
    let mut headline = Headline::default();
    for row in arguments.rows() {
        println!("measuring {}: {}", row.name(), row.purpose());
        let figures = match rows::run(row, &stage) {
            Ok(outcome) => {
                headline.merge(outcome.headline);
                outcome.figures
            }
            Err(error) => vec![Figure::failed(&error)],
        };
        stage.end_row();
        for figure in figures {
            println!("{}", figure.line(row.name()));
            table.push((row, figure));
        }
    }
    let count = |verdict| table.iter().filter(|(_, figure)| figure.verdict == verdict).count();
    let (over, failed) = (count(Verdict::Over), count(Verdict::Failed));
    println!("\nfigures: row, name, measured, target, verdict");
    for (row, figure) in &table {
        println!("{}", figure.line(row.name()));
    }
    println!("{} ok, {over} over their target, {failed} failed", count(Verdict::Ok));
    println!("{headline}{}", if arguments.quick { " (quick)" } else { "" });
    // A quick run has sizes at which no target means anything.
    let missed = failed > 0 || (over > 0 && !arguments.quick);
    Ok(if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
