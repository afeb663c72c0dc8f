//! The two programs in this one, and what each is told.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs loops against a real server, kills them, and looks what is left.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Starts server and loops, and checks.
    Check(Wish),
    /// Runs every example of the Rust client against a real server and a real language model.
    Examples {
        #[command(flatten)]
        wish: Wish,
        /// The folder of the built examples.
        #[arg(long)]
        folder: PathBuf,
    },
    /// The loop that is started and killed. The client's variables say where the server is.
    Loop(Plan),
}

/// What the checks need.
#[derive(Debug, Clone, Args)]
pub(crate) struct Wish {
    /// A Postgres whose user may create databases.
    #[arg(long, env = "REFLECT_TEST_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: String,
    /// The built server.
    #[arg(long)]
    pub(crate) binary: PathBuf,
    /// The folder of the embedding model.
    #[arg(long)]
    pub(crate) embedder: PathBuf,
    /// The library that runs it.
    #[arg(long)]
    pub(crate) onnxruntime: PathBuf,
}

/// What a loop does.
#[derive(Debug, Clone, Args)]
pub(crate) struct Plan {
    /// Where its checkpoint and its list of calls are.
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// What it is to do.
    #[arg(long)]
    pub(crate) task: String,
    /// The id of the run; one of its own when absent.
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// Where it says so and stands still, to be killed.
    #[arg(long)]
    pub(crate) halt: Option<Moment>,
    /// What is wrong with it.
    #[arg(long, value_enum)]
    pub(crate) mutant: Option<Mutant>,
}

/// A fault that has to be noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mutant {
    /// Begins anew instead of resuming.
    ForgetsCheckpoint,
    /// Records under another key in every process.
    ForgetsKey,
}

/// What a loop can be at.
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

/// A point in a run, written `act-1`; with `!` after it, once the server has done its part.
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
        let wrong = || format!("`{text}` is no moment; one is written act-1 or record-1!");
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
    fn a_moment_is_read_as_it_is_written() {
        for moment in [Moment::before(Phase::Act, 2), Moment::after(Phase::Record, 1)] {
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
        assert!("lunch-1".parse::<Moment>().is_err());
    }
}
