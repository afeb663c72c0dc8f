//! Runs every fuzz target of the workspace, and every mutant that a target must find.
//!
//! Targets are unit tests in modules named `fuzz`. Each runs in a process of its own, so a target that overflows the
//! stack, or never returns, is reported and does not end the run.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod build;
mod report;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, ensure};
use build::FuzzTest;
use clap::Parser;
use report::{Outcome, TargetReport};

/// Tests every parser of external data with generated input.
#[derive(Debug, Clone, Parser)]
struct Arguments {
    /// The number of generated cases of each target.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The random seed. The same seed repeats the same cases. Default: the same in every run; `random` draws one.
    #[arg(long, default_value = "1")]
    seed: String,
    /// Only tests whose path contains this text.
    #[arg(long)]
    only: Option<String>,
    /// The number of targets that run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The interpreter for the targets of the Python SDK. Without it they are left out.
    #[arg(long)]
    python: Option<PathBuf>,
    /// Skip the mutants. The run then proves less.
    #[arg(long)]
    no_mutants: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let seed = match arguments.seed.as_str() {
        "random" => u64::from(rand::random::<u32>()),
        seed => seed.parse::<u64>().context("--seed takes a number or `random`")?,
    };
    println!("seed {seed}");
    let mut tests = build::rust_tests()?;
    tests.extend(arguments.python.as_deref().map(build::python_tests).transpose()?.unwrap_or_default());
    tests.retain(|test| arguments.only.as_ref().is_none_or(|only| test.name.contains(only.as_str())));
    ensure!(!tests.is_empty(), "no target has this name");

    let run = |test: &FuzzTest| {
        let mut command = test.command();
        command.env("REFLECT_FUZZ_CASES", arguments.count.to_string());
        report::outcome(&test.name, output(command.env("REFLECT_FUZZ_SEED", seed.to_string())))
    };
    let outcomes = in_parallel(&tests, arguments.jobs, run);
    let (mut reports, mut failures) = (Vec::new(), Vec::new());
    for (test, outcome) in tests.iter().zip(outcomes) {
        match outcome {
            Outcome::Passed(report) => reports.push((test, report)),
            Outcome::Failed(text) => failures.push(text),
        }
    }
    let mutants = if arguments.no_mutants { Vec::new() } else { mutants(&reports) };
    let run = |(test, mutant): &(&FuzzTest, String)| {
        let mut command = test.command();
        command.env("REFLECT_FUZZ_CASES", "100000").env("REFLECT_FUZZ_SEED", seed.to_string());
        report::is_caught(mutant, output(command.env("REFLECT_FUZZ_MUTANT", mutant)))
    };
    let caught = in_parallel(&mutants, arguments.jobs, run).into_iter().filter(|caught| *caught).count();
    if !mutants.is_empty() {
        println!("{caught} of {} mutants caught", mutants.len());
    }

    failures.iter().for_each(|failure| println!("{failure}"));
    let cases: u64 = reports.iter().map(|(_, report)| report.cases).sum();
    println!("fuzz: {} targets, {cases} cases, {} panics", tests.len(), failures.len());
    ensure!(failures.is_empty(), "{} targets failed", failures.len());
    ensure!(caught == mutants.len(), "a mutant was not caught: its target is too weak");
    ensure!(arguments.no_mutants || arguments.only.is_some() || !mutants.is_empty(), "there is no mutant");
    Ok(())
}

/// Each mutant with the test that must find it.
fn mutants<'a>(reports: &[(&'a FuzzTest, TargetReport)]) -> Vec<(&'a FuzzTest, String)> {
    let of_one = |(test, report): &(&'a FuzzTest, TargetReport)| {
        let test = *test;
        report.mutants.clone().into_iter().map(move |mutant| (test, mutant))
    };
    reports.iter().flat_map(of_one).collect()
}

fn output(command: &mut Command) -> std::io::Result<(bool, String)> {
    let output = command.output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

/// Runs the function for each item, a few at a time, and returns the results in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], jobs: usize, run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let result = run(item);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();

        assert_eq!(
            in_parallel(&items, 4, |item| item * 2),
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
    }
}
