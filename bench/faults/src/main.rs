//! Faults of the machine and of the network, under load: full disks, used up connections, slow flushes, clocks that jump,
//! connections that break, failover and restore. Clients continue. Afterwards all work is finished by the same processes, and
//! an audit checks that nothing which was acknowledged was lost or doubled. Each fault must detect its mutants.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod clock_jumps;
mod connections;
mod disk;
mod disk_full;
mod failover;
mod fault;
mod load;
mod mutant;
mod network;
mod proxy;
mod restore;
mod signals;
mod slow_flush;
mod stage;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{bail, ensure};
use clap::Parser;
use fault::{FAULTS, Fault, Report};
use tokio::signal::unix::{SignalKind, signal};

/// Injects faults of the machine and of the network, and then checks that nothing was lost or doubled.
#[derive(Debug, Clone, Parser)]
pub(crate) struct Arguments {
    /// The binary `reflect`: a debug build, because mutants need `--fault`.
    #[arg(long)]
    pub(crate) binary: PathBuf,
    /// The random seed of clients and of faults. The timing of processes varies, so a seed repeats the plan, not the run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Only faults whose name contains this text.
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Only the faults of the short form, each for a short time.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Skip the mutants. The run then proves less.
    #[arg(long)]
    pub(crate) no_mutants: bool,
}

impl Arguments {
    /// Whether this fault is part of the run.
    fn wants(&self, fault: &Fault) -> bool {
        (fault.quick || !self.quick)
            && self.only.as_ref().is_none_or(|only| fault.name.contains(only.as_str()))
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Also stops its processes and removes its folders if a signal ends it.
    tokio::select! {
        outcome = run(&arguments) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    println!("seed {}", arguments.seed);
    let faults: Vec<&Fault> = FAULTS.iter().filter(|fault| arguments.wants(fault)).collect();
    ensure!(!faults.is_empty(), "no fault has such a name");
    let (mut reports, mut failures) = (Vec::new(), Vec::new());
    for fault in &faults {
        let began = Instant::now();
        match (fault.run)(arguments).await {
            Ok(report) => {
                print(fault.name, &report);
                reports.push(report);
            }
            Err(error) => {
                println!("{}: failed: {error:#}", fault.name);
                failures.push(fault.name);
            }
        }
        println!("{}: took {:.0} s", fault.name, began.elapsed().as_secs_f64());
    }
    let lost: u64 = reports.iter().map(|report| report.lost).sum();
    let doubled: u64 = reports.iter().map(|report| report.doubled).sum();
    let mutants: Vec<bool> =
        reports.iter().flat_map(|report| &report.mutants).map(|mutant| mutant.1).collect();
    let caught = mutants.iter().filter(|caught| **caught).count();
    println!(
        "faults: {} faults, {lost} lost, {doubled} doubled, {caught} of {} mutants caught",
        faults.len(),
        mutants.len()
    );
    ensure!(failures.is_empty(), "{} failed", failures.join(", "));
    ensure!(lost + doubled == 0, "{lost} lost, {doubled} doubled");
    ensure!(caught == mutants.len(), "a mutant was not caught: the audit or the fault is too weak");
    Ok(())
}

fn print(name: &str, report: &Report) {
    let Report { acknowledged, lost, doubled, recovery, notes, mutants } = report;
    let recovered = match recovery {
        Some(time) => format!("recovered after {:.1} s", time.as_secs_f64()),
        None => "never interrupted".to_owned(),
    };
    let figures: String = notes.iter().map(|note| format!("; {note}")).collect();
    println!("{name}: {acknowledged} acknowledged, {lost} lost, {doubled} doubled, {recovered}{figures}");
    for (mutant, caught) in mutants {
        println!("{name}: mutant {mutant} {}", if *caught { "caught" } else { "NOT caught" });
    }
}
