//! Four weeks of use in less than an hour. The clock of Postgres and of all processes jumps by hours between bursts of load,
//! so partitions, retention, keys, receipts, leases and changes of the embedding model live as long as in production. Each day has
//! the same work. Memory, connections, and the sizes of tables must not grow after the warm-up, and the auditor of the soak run
//! must find nothing. Beside it runs an installation without retention, which must be detected.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

mod figures;
mod installation;
mod measure;
mod upkeep;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use clap::Parser;
use figures::{Comparison, Figures};
use installation::{Installation, RETENTION, Variant};
use measure::measure;
use reflect_bench_ingest::clock::Clock;
use reflect_bench_ingest::cluster::{Cluster, cache_folder};
use reflect_soak::audit::audit;
use reflect_soak::client::Log;
use reflect_soak::drain::drain;
use tokio::signal::unix::{SignalKind, signal};

/// Vacuum looks for work as often, measured in simulated time, as every ten minutes. The usual pause would be half a day.
const SETTINGS: [&str; 1] = ["autovacuum_naptime=1s"];
const DRAIN: Duration = Duration::from_secs(120);
/// Maintenance ends a change of the embedding model 7 days after the switch.
const DAYS_OF_A_CHANGE: u32 = 8;
/// The first violations usually show the cause.
const SHOWN: usize = 20;

const PRODUCT: Variant = Variant {
    name: "product",
    retention: Some(RETENTION),
    processes: &[("server", "api"), ("worker", "worker")],
};
const WITHOUT_RETENTION: Variant =
    Variant { name: "without-retention", retention: None, processes: &[("process", "all")] };

/// Simulates weeks of use, and then checks that nothing grows and nothing was lost.
#[derive(Debug, Clone, Parser)]
pub(crate) struct Arguments {
    /// The binary `reflect`.
    #[arg(long)]
    pub(crate) binary: PathBuf,
    /// The random seed of the clients. The timing of processes varies, so a seed repeats the plan, not the run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Few days with little work. Processes start again each day, so figures are not compared.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many days are simulated, if not four weeks.
    #[arg(long, conflicts_with = "quick")]
    pub(crate) days: Option<u32>,
    /// Skip the mutant. The run then proves less.
    #[arg(long)]
    pub(crate) no_mutants: bool,
}

/// The work of the run.
#[derive(Debug, Clone)]
struct Plan {
    days: u32,
    /// How often the clock jumps each day.
    jumps: u32,
    /// Steps of each client between two jumps of the clock.
    steps: u64,
    /// Runs for the judge between two jumps.
    judged: u32,
    /// On which days the embedding model changes.
    changes: Vec<u32>,
    /// After how many days the change is finished by a call, and not by maintenance.
    finished_after: Option<u32>,
    /// Maintenance runs at the start of a process, and otherwise within a minute after an hour.
    restarts: bool,
}

impl Arguments {
    fn plan(&self) -> Plan {
        if self.quick {
            let (finished_after, restarts) = (Some(1), true);
            let (days, jumps, changes) = (4, 2, vec![1]);
            return Plan { days, jumps, steps: 10, judged: 2, changes, finished_after, restarts };
        }
        let days = self.days.unwrap_or(28);
        let (finished_after, restarts) = (None, false);
        let two_fit = days >= 4 * (DAYS_OF_A_CHANGE - 1);
        let changes = if two_fit { vec![days / 4, days * 5 / 8] } else { vec![days / 4] };
        Plan { days, jumps: 4, steps: 40, judged: 5, changes, finished_after, restarts }
    }
}

/// The run.
struct Endurance {
    plan: Plan,
    clock: Clock,
    /// By how much the clock is ahead.
    seconds: i64,
    product: Installation,
    mutant: Option<Installation>,
    figures: Figures,
    mutant_figures: Figures,
    log: Log,
    violations: BTreeSet<String>,
    began: Instant,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate())?;
    // Also stops its processes and removes its folders if a signal ends it.
    tokio::select! {
        outcome = Box::pin(run(&arguments)) => outcome,
        _ = terminate.recv() => bail!("told to stop"),
        _ = tokio::signal::ctrl_c() => bail!("told to stop"),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    println!("seed {}", arguments.seed);
    let clock = Clock::create(cache_folder()?.join(format!("run-{}.clock", std::process::id())))?;
    let cluster = Cluster::start_with_clock(&SETTINGS, &clock)?;
    let product = Box::pin(Installation::create(arguments, &cluster, &clock, &PRODUCT)).await?;
    let mutant = match arguments.no_mutants {
        true => None,
        false => Some(Box::pin(Installation::create(arguments, &cluster, &clock, &WITHOUT_RETENTION)).await?),
    };
    let mut endurance = Endurance {
        plan: arguments.plan(),
        clock,
        seconds: 0,
        product,
        mutant,
        figures: Figures::default(),
        mutant_figures: Figures::default(),
        log: Log::default(),
        violations: BTreeSet::new(),
        began: Instant::now(),
    };
    for day in 1..=endurance.plan.days {
        Box::pin(endurance.day(day)).await?;
    }
    endurance.report().await
}

impl Endurance {
    async fn day(&mut self, day: u32) -> anyhow::Result<()> {
        // When the clock jumped last.
        let mut since = String::new();
        for _ in 0..self.plan.jumps {
            self.seconds += 24 * 3600 / i64::from(self.plan.jumps);
            self.clock.set(self.seconds)?;
            since = self.product.now().await?;
            Box::pin(self.bursts()).await?;
        }
        let working = self.product.rotate_keys().await?;
        self.violations.extend(working);
        if let Some(mutant) = &mut self.mutant {
            mutant.rotate_keys().await?;
        }
        self.change_embedding(day).await?;
        Box::pin(self.upkeep(&since)).await?;
        self.figures.record(measure(&self.product).await?);
        if let Some(mutant) = &self.mutant {
            self.mutant_figures.record(measure(mutant).await?);
        }
        self.audit().await?;
        println!(
            "day {day}: {} calls acknowledged, {} violations, after {:.0} s",
            self.log.acknowledged(),
            self.violations.len(),
            self.began.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// The same work on both installations.
    async fn bursts(&mut self) -> anyhow::Result<()> {
        let Plan { steps, judged, .. } = self.plan;
        let of_mutant = async {
            match &mut self.mutant {
                Some(mutant) => mutant.burst(steps, judged).await.map(drop),
                None => Ok(()),
            }
        };
        let (log, of_mutant) = tokio::join!(self.product.burst(steps, judged), of_mutant);
        self.log.absorb(log?);
        of_mutant?;
        self.drain().await
    }

    /// The clock jumps only when no work is left, because jobs of a process that is silent for hours are taken from it.
    async fn drain(&mut self) -> anyhow::Result<()> {
        let drained = drain(&self.product.database_url, DRAIN).await?;
        if !drained.is_complete() {
            self.violations.insert(format!("{} are left", drained.left));
        }
        if let Some(mutant) = &self.mutant {
            drain(&mutant.database_url, DRAIN).await?;
        }
        Ok(())
    }

    async fn change_embedding(&mut self, day: u32) -> anyhow::Result<()> {
        let Plan { changes, finished_after, .. } = &self.plan;
        if changes.contains(&day) {
            self.product.change_embedding().await?;
        }
        if let Some(after) = finished_after
            && changes.iter().any(|change| change + after == day)
        {
            self.product.finish_embedding().await?;
        }
        let time = finished_after.unwrap_or(DAYS_OF_A_CHANGE) + 1;
        let ended = changes.iter().any(|change| change + time == day);
        if ended && !self.product.has_finished_embedding().await? {
            self.violations.insert(format!("a change of the embedding model has not ended on day {day}"));
        }
        Ok(())
    }

    /// Waits for everything that follows from the work of the day.
    async fn upkeep(&mut self, since: &str) -> anyhow::Result<()> {
        let restarts = self.plan.restarts;
        let of_mutant = async {
            match &mut self.mutant {
                Some(mutant) => mutant.upkeep(since, restarts).await.map(drop),
                None => Ok(()),
            }
        };
        let (failed, of_mutant) = tokio::join!(self.product.upkeep(since, restarts), of_mutant);
        self.violations.extend(failed?);
        of_mutant?;
        self.violations.extend(self.product.overdue().await?);
        self.drain().await
    }

    /// Audits everything. Runs are kept for a shorter time than the run lasts, so those of each day are checked at its end.
    async fn audit(&mut self) -> anyhow::Result<()> {
        let found = audit(&self.product.database_url, &self.log, true).await?;
        self.violations.extend(found.violations.iter().map(ToString::to_string));
        self.log.forget_runs();
        Ok(())
    }

    async fn report(self) -> anyhow::Result<()> {
        let days = self.plan.days;
        ensure!(self.log.acknowledged() > 0, "nothing was acknowledged, so nothing was tested");
        self.violations.iter().take(SHOWN).for_each(|violation| println!("violation: {violation}"));
        let compared = self.figures.compare();
        let growing = compared.as_deref().map(growing);
        println!(
            "figures: medians of the days, in bytes and numbers; in proportion to rows if a table keeps its rows"
        );
        let large = compared.iter().flatten().filter(|comparison| comparison.grows || comparison.is_large);
        large.for_each(|comparison| println!("{comparison}"));
        let verdict = match &self.mutant {
            Some(mutant) => Some(self.catches(mutant).await?),
            None => None,
        };
        let violations = self.violations.len();
        let figures = match growing {
            Some(growing) => format!("{growing} growing figures"),
            None => "figures not compared".to_owned(),
        };
        let mutant = match verdict {
            Some(true) => "mutant caught",
            Some(false) => "mutant NOT caught",
            None => "mutant not run",
        };
        println!("endurance: {days} simulated days, {violations} violations, {figures}, {mutant}");
        ensure!(violations == 0, "{violations} violations; the log is {}", self.product.log_file.display());
        ensure!(growing.unwrap_or(0) == 0, "figures grow");
        ensure!(
            verdict != Some(false),
            "the mutant was not caught: the run is too short, or its rule too weak"
        );
        Ok(())
    }

    /// Whether the installation without retention is detected: by figures that grow, or in a short run by rows that are too old.
    async fn catches(&self, mutant: &Installation) -> anyhow::Result<bool> {
        let Some(compared) = self.mutant_figures.compare() else {
            let overdue = mutant.overdue().await?;
            overdue.iter().for_each(|what| println!("mutant: {what}"));
            return Ok(!overdue.is_empty());
        };
        let growing = compared.iter().filter(|comparison| comparison.grows);
        growing.for_each(|comparison| println!("mutant: {comparison}"));
        // Messages are most of what an installation stores.
        Ok(compared.iter().any(|comparison| comparison.grows && comparison.name.starts_with("trace_body: ")))
    }
}

fn growing(compared: &[Comparison]) -> usize {
    compared.iter().filter(|comparison| comparison.grows).count()
}
