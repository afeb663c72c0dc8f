//! A run in a transcript, and the commands of it.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::Transcript;

/// A command that an agent ran in a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// The command line.
    pub command: String,
    /// The exit code. `None` if it is not known: the command runs in the background, was interrupted, or was not allowed.
    pub exit_code: Option<i32>,
    /// Its output. It is not masked: cut it after it was masked, so that no part of a secret is left.
    pub output: String,
}

impl ShellCommand {
    /// Stores how it ended. A command that goes on after its call may get a result more than once.
    pub(super) fn ended(&mut self, exit_code: Option<i32>, output: &str) {
        self.exit_code = exit_code.or(self.exit_code);
        output.trim().clone_into(&mut self.output);
    }
}

/// What followed one prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptRun {
    /// The id of the prompt within its session. `None` if the part that was read starts inside a run: this is the rest of it.
    pub turn: Option<String>,
    /// Where its first line begins in the part that was read, in bytes.
    pub begin: usize,
    /// The prompt. Empty if the turn is `None`.
    pub prompt: String,
    /// The messages, with all calls of tools and their results. Pictures and files are without their bytes.
    pub messages: Vec<Value>,
    /// The commands that the agent ran in a shell.
    pub commands: Vec<ShellCommand>,
    /// The model of the last answer.
    pub model: Option<String>,
    /// The version of the program that wrote the transcript.
    pub version: Option<String>,
    /// When the prompt was sent, or the time of the first line if the turn is `None`.
    pub started_at: Option<DateTime<Utc>>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// Whether the agent answered, or called a tool.
    pub answered: bool,
    /// Whether the agent called a tool.
    pub acted: bool,
}

/// The runs that were read so far.
#[derive(Debug, Default)]
pub(super) struct RunList {
    runs: Vec<TranscriptRun>,
    /// The time of the first line that has one.
    first_time: Option<DateTime<Utc>>,
}

impl RunList {
    /// Notes the time of a line, for a run whose begin was not read.
    pub(super) fn see(&mut self, time: impl FnOnce() -> Option<DateTime<Utc>>) {
        if self.first_time.is_none() {
            self.first_time = time();
        }
    }

    /// Starts the run of a prompt.
    pub(super) fn begin(
        &mut self,
        turn: &str,
        begin: usize,
        started_at: Option<DateTime<Utc>>,
    ) -> &mut TranscriptRun {
        let turn = Some(turn.to_owned());
        self.runs.push(TranscriptRun { turn, begin, started_at, ..TranscriptRun::default() });
        self.current()
    }

    /// The run that entries belong to now.
    pub(super) fn current(&mut self) -> &mut TranscriptRun {
        if self.runs.is_empty() {
            let started_at = self.first_time;
            self.runs.push(TranscriptRun { started_at, ..TranscriptRun::default() });
        }
        let last = self.runs.len() - 1;
        &mut self.runs[last]
    }

    /// The turn of the last run, if one has begun.
    pub(super) fn turn(&self) -> Option<&str> {
        self.runs.last()?.turn.as_deref()
    }

    /// The runs with an answer. A prompt without one, such as a command of the program itself, is no run, unless it is the
    /// last one: its answer may follow.
    pub(super) fn finish(self, end: usize) -> Transcript {
        let count = self.runs.len();
        let is_run = |(index, run): &(usize, TranscriptRun)| {
            run.answered || (index + 1 == count && run.turn.is_some())
        };
        let runs = self.runs.into_iter().enumerate().filter(is_run).map(|(_, run)| run);
        Transcript { runs: runs.collect(), end }
    }
}
