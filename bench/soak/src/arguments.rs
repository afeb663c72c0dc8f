//! The options of the run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::havoc::Havoc;
use reflect_soak::provider::Manners;

/// Kills, stops and crashes the processes of an installation, and then checks that nothing was lost or duplicated.
#[derive(Debug, Clone, Parser)]
pub(crate) struct Arguments {
    /// How long faults are injected, in seconds.
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u64,
    /// The random seed. The timing of processes varies, so a seed repeats the plan, not the run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The number of server processes.
    #[arg(long, default_value_t = 2)]
    pub(crate) servers: usize,
    /// The number of worker processes.
    #[arg(long, default_value_t = 4)]
    pub(crate) workers: usize,
    /// The number of concurrent clients.
    #[arg(long, default_value_t = 6)]
    pub(crate) clients: u64,
    /// The number of projects.
    #[arg(long, default_value_t = 3)]
    pub(crate) projects: usize,
    /// The longest pause of a client between two calls, in milliseconds.
    #[arg(long, default_value_t = 150)]
    pub(crate) pause_ms: u64,
    /// The shortest time between two kills, in milliseconds.
    #[arg(long, default_value_t = 100)]
    pub(crate) kill_min_ms: u64,
    /// The longest time between two kills, in milliseconds.
    #[arg(long, default_value_t = 500)]
    pub(crate) kill_max_ms: u64,
    /// How long a new process is not killed, at most, in milliseconds.
    #[arg(long, default_value_t = 1_500)]
    pub(crate) mercy_ms: u64,
    /// How many workers are stopped at the same time, 0 to 2.
    #[arg(long, default_value_t = 2)]
    pub(crate) zombies: usize,
    /// For how many seconds a worker is stopped before it continues. More than the 5 s after which other workers take
    /// its jobs over. Default: 10 in a long run and 6.5 in a short one.
    #[arg(long)]
    pub(crate) zombie_seconds: Option<f64>,
    /// The number of Postgres crashes.
    #[arg(long, default_value_t = 3)]
    pub(crate) crashes: u32,
    /// The share of calls that the provider rejects with status 429.
    #[arg(long, default_value_t = 0.07)]
    pub(crate) busy_share: f64,
    /// The share of calls that the provider answers slowly.
    #[arg(long, default_value_t = 0.06)]
    pub(crate) slow_share: f64,
    /// How long a slow answer takes, in milliseconds.
    #[arg(long, default_value_t = 7_000)]
    pub(crate) slow_ms: u64,
    /// Database connections of each process.
    #[arg(long, default_value_t = 12)]
    pub(crate) connections: u32,
    /// How long processing may take after the last fault, in seconds.
    #[arg(long, default_value_t = 180)]
    pub(crate) drain_seconds: u64,
    /// How often the takeover of a killed worker's jobs is measured.
    #[arg(long, default_value_t = 2)]
    pub(crate) rescues: usize,
    /// How long a takeover may take on an idle machine, in seconds.
    #[arg(long, default_value_t = 10.0)]
    pub(crate) rescue_limit: f64,
    /// The duration of one round of faults on a mutant, in seconds. Default: a quarter of --seconds, between 5 and 10.
    #[arg(long)]
    pub(crate) mutant_seconds: Option<u64>,
    /// The number of rounds after which a mutant counts as not detected.
    #[arg(long, default_value_t = 4)]
    pub(crate) mutant_rounds: u64,
    /// The `reflect` binary: a debug build, because mutants need `--fault`.
    #[arg(long)]
    pub(crate) binary: PathBuf,
    /// Skip the mutants. The run then proves less.
    #[arg(long)]
    pub(crate) no_mutants: bool,
}

impl Arguments {
    /// The faults of the real run. Mutants use variations of them.
    pub(crate) fn havoc(&self) -> Havoc {
        Havoc {
            seed: self.seed,
            duration: Duration::from_secs(self.seconds),
            kill_every: self.kill_min_ms..self.kill_max_ms,
            mercy: Duration::from_millis(self.mercy_ms),
            kill_workers: true,
            zombie: self.zombie(),
            zombies_at_once: self.zombies,
            crashes: self.crashes,
        }
    }

    /// The provider of the real run.
    pub(crate) fn manners(&self) -> Manners {
        Manners {
            busy_share: self.busy_share,
            slow_share: self.slow_share,
            slow_ms: self.slow_ms,
            seed: self.seed,
        }
    }

    /// For how long a worker is stopped.
    fn zombie(&self) -> Duration {
        let usual = if self.seconds < 45 { 6.5 } else { 10.0 };
        Duration::from_secs_f64(self.zombie_seconds.unwrap_or(usual))
    }

    /// The duration of one round of faults on a mutant.
    pub(crate) fn mutant_round(&self) -> Duration {
        Duration::from_secs(self.mutant_seconds.unwrap_or((self.seconds / 4).clamp(5, 10)))
    }
}
