//! Measures the effect of memory poisoning without defence, its remaining effect if the attacker's keys are untrusted,
//! and the cost of the defence for honest users.
//!
//! Attacks use the product's engine, a real database and real vectors. The cost is measured with Case-Stream and the
//! product's rules. `--quick` does less of both.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

mod attack;
mod benign;
mod embedder;

use std::path::PathBuf;

use anyhow::{bail, ensure};
use attack::{Defences, SUITES, Share, Suite};
use clap::Parser;
use reflect_case_stream::data::{Dataset, SetName};
use reflect_case_stream::environment::Sizes;
use reflect_case_stream::project;
use reflect_case_stream::statistics::Interval;
use reflect_case_stream::vectors::SetVectors;

/// The maximum share of poisoned results that may remain, relative to no defence.
const MOST_LEFT: f64 = 0.1;
/// The maximum cost of the defence, in percentage points of success.
const MOST_LOST: f64 = 1.0;
/// The minimum share of poisoned results by grouping without defence. With all defences it is 0.
const LEAST_GROUPED: f64 = 0.3;
/// Case-Stream was tuned on lower seeds.
const FIRST_SEED: u64 = 100;

#[derive(Debug, Parser)]
struct Arguments {
    /// One seed of the attacks, and two shorter streams.
    #[arg(long)]
    quick: bool,
    /// The number of seeds of the attacks.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// The number of seeds of the streams.
    #[arg(long, default_value_t = 10)]
    streams: u64,
    /// A Postgres server on which a database can be created.
    #[arg(long)]
    server: String,
    /// The folder with the public data.
    #[arg(long)]
    data: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let data = arguments.data.clone().unwrap_or_else(project::default_data);
    let set = Dataset::read(SetName::Bank, &data)?;
    let vectors = SetVectors::obtain(&set, &project::minilm()?, &project::vector_cache()?)?;

    let left = attacks(&arguments, &set, &vectors)?;
    let (streams, sizes) = match arguments.quick {
        true => (2, Sizes { tasks: 1_500, held_out: 1_500 }),
        false => (arguments.streams, Sizes::default()),
    };
    let lost = benign::loss(set, &vectors, FIRST_SEED..FIRST_SEED + streams, sizes)?;
    let [tenth, quarter] = lost.each_ref().map(|lost| lost.mean);
    println!(
        "poison: {left:.2} of undefended, benign loss {tenth:.2} points, {quarter:.2} with a quarter untrusted"
    );
    ensure!(left <= MOST_LEFT, "too much of the poison is left");
    // A few short streams cannot measure one percentage point, so only a significant cost fails.
    let cost = |lost: &Interval| if arguments.quick { lost.low } else { lost.mean };
    ensure!(lost.iter().all(|lost| cost(lost) <= MOST_LOST), "the defences cost too much");
    Ok(())
}

/// Runs all suites and prints the effect of each part of the defence. Returns what remains with all parts.
fn attacks(arguments: &Arguments, set: &Dataset, vectors: &SetVectors) -> anyhow::Result<f64> {
    let stage = attack::Stage::open(&arguments.server, set, vectors)?;
    let seeds = FIRST_SEED..FIRST_SEED + if arguments.quick { 1 } else { arguments.seeds };
    let rows = if arguments.quick { &Defences::ENDS[..] } else { &Defences::ALL[..] };
    println!("questions of others that got at least one poisoned memory, in per cent:\n");
    print!("{:<58}", "");
    SUITES.iter().for_each(|suite| print!("{:>12}", suite.name()));
    println!();
    let mut totals: Vec<Share> = Vec::new();
    let mut grouped: Vec<Share> = Vec::new();
    for defences in rows {
        print!("{:<58}", defences.name());
        let mut total = Share::default();
        for suite in SUITES {
            let mut share = Share::default();
            for seed in seeds.clone() {
                share += stage.run(*suite, *defences, seed)?;
            }
            print!("{:>12.1}", 100.0 * share.part());
            total += share;
            if *suite == Suite::Groupings {
                grouped.push(share);
            }
        }
        println!();
        totals.push(total);
    }
    println!();
    let (Some(without), Some(with)) = (totals.first(), totals.get(1)) else { bail!("nothing was run") };
    ensure!(without.part() > 0.2, "the attacks do not work at all: nothing was shown");
    ensure!(grouped[0].part() > LEAST_GROUPED, "the attack by grouping does not work: nothing was shown");
    ensure!(grouped[1].poisoned == 0, "an attacker speaks through a trusted lesson");
    Ok(with.part() / without.part())
}
