//! Measures whether memories improve an agent, with the product's ranking and credit and with other methods.
//!
//! `--quick` checks that the product is better at all. `--http` checks that the server decides like the measured
//! functions. Without either, every arm runs in every regime of both datasets, and the figures are compared with
//! thresholds.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Parser;
use reflect_case_stream::arms::{self, MEMRL, OF_SIGNALS, RECOMMENDED, SIMILARITY};
use reflect_case_stream::data::{Dataset, SetName};
use reflect_case_stream::environment::{REGIMES, SIGNALLED, Sizes, World};
use reflect_case_stream::measure::{Plan, measure};
use reflect_case_stream::vectors::SetVectors;
use reflect_case_stream::{gates, http, project, report};

/// The prototype was tuned on lower seeds.
const FIRST_SEED: u64 = 100;
const QUICK_SEEDS: u64 = 2;

#[derive(Debug, Parser)]
struct Arguments {
    /// Only Banking77 in regime A, two seeds and three arms. Fails if the product is not better than both others.
    /// Ignored with `--http`.
    #[arg(long)]
    quick: bool,
    /// Only Banking77 in regime A, two seeds: signals with an error of 20 % beside reviews by people with one of 10 %.
    #[arg(long, conflicts_with_all = ["quick", "http"])]
    signals: bool,
    /// Runs one arm over HTTP against the product's server, and checks that it decides like the functions.
    #[arg(long)]
    http: bool,
    /// The number of seeds.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Only this dataset. Default: both.
    #[arg(long)]
    set: Option<SetName>,
    /// The folder with the public data.
    #[arg(long)]
    data: Option<PathBuf>,
    /// The folder for results.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The number of tasks to learn from over HTTP.
    #[arg(long, default_value_t = 400)]
    http_tasks: usize,
    /// The number of further tasks over HTTP without learning.
    #[arg(long, default_value_t = 200)]
    http_held_out: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.http {
        let (set, vectors) = read(SetName::Bank, &arguments)?;
        let sizes = Sizes { tasks: arguments.http_tasks, held_out: arguments.http_held_out };
        let equal = http::compare(set, vectors, FIRST_SEED, sizes)?;
        println!("similarity alone would have answered otherwise in {} of them", equal.learned);
        println!("case-stream http: {} decisions equal", equal.decisions);
        Ok(())
    } else if arguments.signals {
        signals(&arguments)
    } else if arguments.quick {
        quick(&arguments)
    } else {
        full(&arguments)
    }
}

fn quick(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = Plan {
        regimes: REGIMES[..1].to_vec(),
        arms: arms::named(&[SIMILARITY, MEMRL, RECOMMENDED]),
        seeds: (FIRST_SEED..FIRST_SEED + QUICK_SEEDS).collect(),
        sizes: Sizes::default(),
    };
    let results = measure(&[world(SetName::Bank, arguments)?], &plan)?;
    println!("{}", report::tables(&results));
    let to = |rival| {
        let difference =
            results.difference((SetName::Bank, "A"), RECOMMENDED, rival, |figures| figures.held_out);
        difference.map(|difference| difference.mean).context("an arm is missing")
    };
    let (memrl, similarity) = (to(MEMRL)?, to(SIMILARITY)?);
    println!("case-stream quick: {memrl:+.1} to MemRL, {similarity:+.1} to similarity");
    ensure!(memrl >= 0.0 && similarity >= 0.0, "the product is behind");
    Ok(())
}

fn signals(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = Plan {
        regimes: vec![REGIMES[0], SIGNALLED],
        arms: [arms::named(&[SIMILARITY, RECOMMENDED]), vec![arms::of_signals()]].concat(),
        seeds: (FIRST_SEED..FIRST_SEED + QUICK_SEEDS).collect(),
        sizes: Sizes::default(),
    };
    let results = measure(&[world(SetName::Bank, arguments)?], &plan)?;
    let held_out = |regime, arm| {
        let cell = results.cell(SetName::Bank, regime, arm).context("an arm is missing")?;
        anyhow::Ok(cell.mean(|figures| figures.held_out))
    };
    let (people, similarity) = (held_out("A", RECOMMENDED)?, held_out("A", SIMILARITY)?);
    let signals = held_out(SIGNALLED.name, OF_SIGNALS)?;
    println!(
        "case-stream signals: {signals:.1} % of held-out tasks with signals of 20 % error, {people:.1} % with reviews by \
         people of 10 % error, {similarity:.1} % without either"
    );
    ensure!(signals >= similarity, "signals make it worse");
    Ok(())
}

fn full(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = Plan {
        regimes: REGIMES.to_vec(),
        arms: arms::all(),
        seeds: (FIRST_SEED..FIRST_SEED + arguments.seeds).collect(),
        sizes: Sizes::default(),
    };
    let sets = arguments.set.map_or(SetName::ALL.to_vec(), |set| vec![set]);
    let worlds: anyhow::Result<Vec<World>> = sets.into_iter().map(|set| world(set, arguments)).collect();
    let results = measure(&worlds?, &plan)?;
    let out = arguments.out.clone().map_or_else(project::default_out, Ok)?;
    report::write(&out, &plan, &results)?;
    println!("{}", report::tables(&results));
    println!("written to {}", out.display());
    let missed = gates::missed(&results);
    println!("{}", report::lessons(&results));
    println!("{}", report::summary(&results));
    if !missed.is_empty() {
        bail!("missed:\n{}", missed.join("\n"));
    }
    Ok(())
}

fn world(name: SetName, arguments: &Arguments) -> anyhow::Result<World> {
    let (set, vectors) = read(name, arguments)?;
    Ok(World::new(set, &vectors))
}

fn read(name: SetName, arguments: &Arguments) -> anyhow::Result<(Dataset, SetVectors)> {
    let data = arguments.data.clone().unwrap_or_else(project::default_data);
    let set = Dataset::read(name, &data)?;
    let vectors = SetVectors::obtain(&set, &project::minilm()?, &project::vector_cache()?)?;
    Ok((set, vectors))
}
