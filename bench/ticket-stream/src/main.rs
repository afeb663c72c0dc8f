//! Measures whether memories improve an agent that works in several steps, with the product's ranking, credit and
//! lessons and with other methods.
//!
//! `--quick` checks that memory helps at all and that results can be repeated. `--http` checks that the server decides
//! like the measured functions. Without either, every arm runs with every seed.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Parser;
use reflect_ticket_stream::arms::{self, PRODUCT};
use reflect_ticket_stream::environment::{Sizes, World};
use reflect_ticket_stream::measure::{Plan, Results, measure};
use reflect_ticket_stream::{gates, http, project, report};

/// The prototype was tuned on lower seeds.
const FIRST_SEED: u64 = 100;
const QUICK_SEEDS: u64 = 2;
const FULL: Sizes = Sizes { tickets: 1_500, held_out: 500 };
const QUICK: Sizes = Sizes { tickets: 300, held_out: 200 };

#[derive(Debug, Parser)]
struct Arguments {
    /// Two seeds, fewer tickets and four arms. Fails if memory does not help, or if a repetition differs.
    /// Ignored with `--http`.
    #[arg(long)]
    quick: bool,
    /// Runs the product over HTTP against its server, and checks that it decides like the functions.
    #[arg(long)]
    http: bool,
    /// The number of seeds.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The folder for results.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The number of tickets to learn from over HTTP.
    #[arg(long, default_value_t = 60)]
    http_tickets: usize,
    /// The number of further tickets over HTTP without learning.
    #[arg(long, default_value_t = 20)]
    http_held_out: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let world = World::start()?;
    if arguments.http {
        let sizes = Sizes { tickets: arguments.http_tickets, held_out: arguments.http_held_out };
        let equal = http::compare(&world, FIRST_SEED, sizes)?;
        println!("similarity alone would have answered otherwise in {} of them", equal.learned);
        println!("equally similar candidates were exchanged in {} of them", equal.exchanged);
        println!("ticket-stream http: {} decisions equal", equal.decisions);
        Ok(())
    } else if arguments.quick {
        quick(&world)
    } else {
        full(&world, &arguments)
    }
}

fn quick(world: &World) -> anyhow::Result<()> {
    let seeds = (FIRST_SEED..FIRST_SEED + QUICK_SEEDS).collect();
    let plan = Plan { arms: arms::compared(), seeds, sizes: QUICK };
    let results = measure(world, &plan)?;
    let product = plan.arms.into_iter().filter(|arm| arm.name == PRODUCT).collect();
    let again = measure(world, &Plan { arms: product, seeds: vec![FIRST_SEED], sizes: QUICK })?;
    let first = |results: &Results| results.arm(PRODUCT).and_then(|arm| arm.seeds.first().cloned());
    ensure!(first(&results) == first(&again), "a repetition of a seed differs");
    println!("{}", report::tables(&results));
    println!("{}", report::summary(&results));
    check(&gates::missed_quick(&results))
}

fn full(world: &World, arguments: &Arguments) -> anyhow::Result<()> {
    let seeds = (FIRST_SEED..FIRST_SEED + arguments.seeds).collect();
    let plan = Plan { arms: arms::all(), seeds, sizes: FULL };
    let results = measure(world, &plan)?;
    let out = arguments.out.clone().map_or_else(project::default_out, Ok)?;
    report::write(&out, &plan, &results)?;
    println!("written to {}", out.display());
    println!("{}", report::tables(&results));
    println!("{}", report::summary(&results));
    check(&gates::missed(&results))
}

fn check(missed: &[String]) -> anyhow::Result<()> {
    if !missed.is_empty() {
        bail!("missed:\n{}", missed.join("\n"));
    }
    Ok(())
}
