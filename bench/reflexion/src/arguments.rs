//! The command lines of the two programs in this binary.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs loops against a real server, kills them, and checks the stored data.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Starts the server and the loops, and checks the results.
    Check(Wish),
    /// Runs every example of the Rust client against a real server and a real language model.
    Examples {
        #[command(flatten)]
        wish: Wish,
        /// The folder of the built examples.
        #[arg(long)]
        folder: PathBuf,
    },
    /// The loop that is started and killed. The client's variables have the address of the server.
    Loop(Plan),
}

/// What the checks need.
#[derive(Debug, Clone, Args)]
pub(crate) struct Wish {
    /// A Postgres server on which databases can be created.
    #[arg(long, env = "REFLECT_TEST_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: String,
    /// The built server.
    #[arg(long)]
    pub(crate) binary: PathBuf,
    /// The folder of the embedding model.
    #[arg(long)]
    pub(crate) embedder: PathBuf,
    /// The ONNX Runtime library.
    #[arg(long)]
    pub(crate) onnxruntime: PathBuf,
}

/// The options of a loop.
#[derive(Debug, Clone, Args)]
pub(crate) struct Plan {
    /// The folder of its checkpoint and its call log.
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// The task.
    #[arg(long)]
    pub(crate) task: String,
    /// The id of the run. Default: a new id.
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// The point where it prints a line and waits to be killed.
    #[arg(long)]
    pub(crate) halt: Option<Moment>,
    /// The injected fault.
    #[arg(long, value_enum)]
    pub(crate) mutant: Option<Mutant>,
}

/// A fault that must be detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mutant {
    /// Starts from the beginning instead of resuming.
    ForgetsCheckpoint,
    /// Uses another idempotency key in every process.
    ForgetsKey,
}

/// The phases of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Recall,
    Act,
    Evaluate,
    Reflect,
    Record,
}

impl Phase {
    pub(crate) const ALL: [Self; 5] = [Self::Recall, Self::Act, Self::Evaluate, Self::Reflect, Self::Record];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Act => "act",
            Self::Evaluate => "evaluate",
            Self::Reflect => "reflect",
            Self::Record => "record",
        }
    }
}

/// A point in a run, such as `act-1`. With `!` at the end: after the response of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) phase: Phase,
    pub(crate) trial: u32,
    pub(crate) answered: bool,
}

impl Moment {
    pub(crate) const fn before(phase: Phase, trial: u32) -> Self {
        Self { phase, trial, answered: false }
    }

    pub(crate) const fn after(phase: Phase, trial: u32) -> Self {
        Self { phase, trial, answered: true }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}{}", self.phase.name(), self.trial, if self.answered { "!" } else { "" })
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a valid point in the run; write it as act-1 or record-1!");
        let (plain, answered) = text.strip_suffix('!').map_or((text, false), |plain| (plain, true));
        let (name, trial) = plain.split_once('-').ok_or_else(wrong)?;
        let phase = Phase::ALL.into_iter().find(|phase| phase.name() == name).ok_or_else(wrong)?;
        Ok(Self { phase, trial: trial.parse().map_err(|_| wrong())?, answered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_parsed_as_it_is_formatted() {
        for moment in [Moment::before(Phase::Act, 2), Moment::after(Phase::Record, 1)] {
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
        assert!("lunch-1".parse::<Moment>().is_err());
    }
}
