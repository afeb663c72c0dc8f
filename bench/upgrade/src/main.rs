//! The test of upgrades: every migration since a release is applied to a database of that release while servers of that release
//! work, and again with a kill during each of them. Then servers of both versions work on the new schema, and an audit checks the
//! result. No request may fail, and none may wait for a lock of the migration for longer than 100 ms. Mutants must be detected.
//!
//! The servers of the release are its recorded statements, which are test data like its database, and with `--old-binaries` also
//! processes of its binary.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod clients;
mod gate;
mod locks;
mod migrating;
mod migrations;
mod mutants;
mod parameters;
mod postgres;
mod proxy;
mod record;
mod recorder;
mod recording;
mod release;
mod replay;
mod schema;
mod trial;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Parser;
use gate::Plan;
use migrations::Migrations;
use mutants::Mutant;
use postgres::Postgres;
use release::Release;
use tokio::signal::unix::{SignalKind, signal};
use trial::Trial;

/// The longest time that a request may wait for a lock of a migration.
const LONGEST_MS: f64 = 100.0;
/// The pause before each change of a migration, so that there is load between two of them.
const PAUSE: Duration = Duration::from_millis(100);

/// Migrates databases of releases under load and with kills.
#[derive(Debug, Clone, Parser)]
struct Arguments {
    /// The binary `reflect`.
    #[arg(long)]
    binary: PathBuf,
    /// A folder with a file `VERSION/reflect` for each release whose processes work beside its recorded statements.
    #[arg(long)]
    old_binaries: Option<PathBuf>,
    /// Only this release.
    #[arg(long)]
    release: Option<String>,
    /// The random seed of clients.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A short load, and kills at one statement of each kind instead of before and at every statement.
    #[arg(long)]
    quick: bool,
    /// Skip the mutants. The run then proves less.
    #[arg(long)]
    no_mutants: bool,
    /// Make the test data of this release with its binary, which --binary names, and do nothing else.
    #[arg(long)]
    record: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Also stops its processes and removes its databases if a signal ends it.
    tokio::select! {
        outcome = Box::pin(run(&arguments)) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    println!("seed {}", arguments.seed);
    if let Some(version) = &arguments.record {
        let bytes = Box::pin(record::record(&arguments.binary, version, arguments.seed)).await?;
        println!("release {version}: {bytes} bytes of test data");
        return Ok(());
    }
    let releases = match &arguments.release {
        Some(version) => vec![Release::of(version)],
        None => Release::all()?,
    };
    let (postgres, migrations) = (Postgres::start().await?, Migrations::read()?);
    let mut sum = Sum::default();
    for release in &releases {
        let large = Trial::prepare(arguments, (&postgres, &migrations, release), true).await?;
        Box::pin(sum.migrate(&large)).await?;
    }
    let mutants: &[Mutant] = if arguments.no_mutants { &[] } else { &Mutant::ALL };
    if let Some(release) = releases.first().filter(|_| !mutants.is_empty()) {
        let small = Trial::prepare(arguments, (&postgres, &migrations, release), false).await?;
        for mutant in mutants {
            let caught = Box::pin(mutant.is_caught(&small)).await.with_context(|| mutant.name())?;
            println!("mutant {}: {}", mutant.name(), if caught { "caught" } else { "NOT caught" });
            sum.caught += usize::from(caught);
        }
    }
    println!("{} kills, {} of {} mutants caught", sum.kills, sum.caught, mutants.len());
    println!(
        "upgrade: {} migrations under load, {} failed requests, longest lock {:.0} ms",
        sum.migrations, sum.failed, sum.longest_ms
    );
    ensure!(sum.failed == 0, "{} requests failed", sum.failed);
    ensure!(sum.wrong == 0, "{} violations and differences", sum.wrong);
    ensure!(sum.longest_ms <= LONGEST_MS, "a request waited {:.0} ms for a lock", sum.longest_ms);
    ensure!(sum.caught == mutants.len(), "a mutant was not caught: the run is too weak");
    Ok(())
}

/// The figures of all releases.
#[derive(Debug, Default)]
struct Sum {
    migrations: usize,
    failed: usize,
    wrong: usize,
    longest_ms: f64,
    kills: usize,
    caught: usize,
}

impl Arguments {
    /// The binary of a release, if there is one.
    fn old_binary(&self, version: &str) -> Option<PathBuf> {
        let binary = self.old_binaries.as_ref()?.join(version).join("reflect");
        binary.is_file().then_some(binary)
    }
}

impl Sum {
    async fn migrate(&mut self, trial: &Trial<'_>) -> anyhow::Result<()> {
        let version = &trial.release.version;
        let plan = Plan { pause: PAUSE, ..Plan::default() };
        let loaded = trial.under_load("loaded", plan).await.context("under load")?;
        println!(
            "from {version}: {} migrations, {} rounds of recorded statements, {} calls acknowledged, {} failed, {} violations, \
             longest lock {:.0} ms",
            trial.pending().len(),
            loaded.rounds,
            loaded.acknowledged,
            loaded.failures.len(),
            loaded.violations.len(),
            loaded.longest_ms()
        );
        loaded.print();
        self.migrations += trial.pending().len();
        self.failed += loaded.failures.len();
        self.wrong += loaded.violations.len();
        self.longest_ms = self.longest_ms.max(loaded.longest_ms());

        let plan = Plan { everywhere: !trial.arguments.quick, ..Plan::default() };
        let (kills, differences) = trial.with_kills("killed", &plan).await.context("with kills")?;
        println!("from {version}: killed {kills} times, {} differences", differences.len());
        differences.iter().for_each(|difference| println!("  difference: {difference}"));
        self.kills += kills;
        self.wrong += differences.len();
        Ok(())
    }
}
