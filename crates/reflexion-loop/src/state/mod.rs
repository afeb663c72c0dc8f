//! Everything a run knows of itself. It can be written down at any moment and read again.
//!
//! What happens next is decided in [`step`] and what has happened is taken in by [`apply`], both without input or
//! output: nobody waits, nobody asks a clock, and the same state always says the same.

mod apply;
mod step;
mod trial;

use reflect_evaluation::Task;
use serde::{Deserialize, Serialize};

pub use apply::{Happened, OutOfOrder};
pub use step::Step;
pub use trial::{Candidate, OpenTrial, Trial};

use crate::long_term::Recalled;
use crate::notes::Notes;
use crate::{BudgetKind, Options, Spent};

/// Why a run ended.
///
/// See [`Outcome`](crate::Outcome) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A trial passed.
    Passed,
    /// A trial did not pass, but its score reached the threshold.
    ScoreReached,
    /// No trial is left.
    MaxTrials,
    /// A limit of the budget was reached.
    Budget(BudgetKind),
    /// The same answer and the same feedback came again.
    Stalled,
    /// Somebody said stop.
    Cancelled,
}

impl Stop {
    /// Whether the task was done.
    ///
    /// ```
    /// use reflexion_loop::Stop;
    ///
    /// assert!(Stop::ScoreReached.is_success());
    /// assert!(!Stop::MaxTrials.is_success());
    /// ```
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Passed | Self::ScoreReached)
    }

    /// Whether the run could go on if it were let.
    pub const fn is_interruption(self) -> bool {
        matches!(self, Self::Budget(_) | Self::Cancelled)
    }
}

/// Where a run stands: what is to be done next.
///
/// See [`RunState`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Nothing has been done.
    New,
    /// Memories are to be recalled for this trial.
    Recall {
        /// The trial.
        trial: u32,
    },
    /// This trial is to begin.
    Start {
        /// The trial.
        trial: u32,
    },
    /// Candidates are at work.
    Act {
        /// The trial.
        trial: u32,
    },
    /// All candidates have done their work, and not all have a verdict.
    Evaluate {
        /// The trial.
        trial: u32,
    },
    /// A reflection is to be made.
    Reflect {
        /// The trial.
        trial: u32,
    },
    /// A reflection was made, and whoever wants to know is to be told.
    Announce {
        /// The trial.
        trial: u32,
    },
    /// The trial is to be recorded.
    Record {
        /// The trial.
        trial: u32,
    },
    /// The trial is to end.
    End {
        /// The trial.
        trial: u32,
    },
    /// The run has ended.
    Done {
        /// Why.
        stop: Stop,
    },
}

/// Which form a written state has. One that this program does not know is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

const VERSION: u32 = 1;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        let other = || format!("the state has version {version}, this program reads version {VERSION}");
        (version == VERSION).then_some(Self).ok_or_else(other)
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        VERSION
    }
}

/// Everything a run knows of itself.
///
/// ```
/// use reflexion_loop::{Happened, Options, RunState, Step};
///
/// let options = Options::default();
/// let mut state = RunState::new("run-1", "Count the orders", &options);
/// assert_eq!(state.next_step(&options), Step::Begin);
///
/// state.apply(&options, Happened::Begun).unwrap();
/// assert_eq!(state.next_step(&options), Step::Start { trial: 1 });
///
/// let written = serde_json::to_string(&state).unwrap();
/// let read: RunState = serde_json::from_str(&written).unwrap();
/// assert_eq!(read, state);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    version: Version,
    /// The run's id, the first part of its idempotency keys.
    pub run_id: String,
    /// What was asked.
    pub task: Task,
    /// Where it stands.
    #[serde(flatten)]
    pub phase: Phase,
    /// Where it stood when it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Phase>,
    /// The trials that have ended, in order.
    pub trials: Vec<Trial>,
    /// The trial under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenTrial>,
    /// What trials left for the next one.
    pub notes: Notes,
    /// What was recalled last.
    #[serde(default)]
    pub recalled: Vec<Recalled>,
    /// The receipt of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<String>,
    /// What it has cost.
    pub spent: Spent,
    /// How often it was resumed.
    #[serde(default)]
    pub resumes: u32,
    /// The number of its next event.
    pub next_seq: u64,
}

/// Events of a resumed run are numbered from here, times the resumptions. What was sent after the last checkpoint of a
/// process that died is not known, so the numbers it may have used are left out.
const SEQ_PER_RESUME: u64 = 1_000_000_000;

impl RunState {
    /// A run that has not begun.
    pub fn new(run_id: impl Into<String>, task: impl Into<Task>, options: &Options) -> Self {
        Self {
            version: Version,
            run_id: run_id.into(),
            task: task.into(),
            phase: Phase::New,
            interrupted: None,
            trials: Vec::new(),
            open: None,
            notes: Notes::bounded(options.memory_size),
            recalled: Vec::new(),
            retrieval_id: None,
            spent: Spent::default(),
            resumes: 0,
            next_seq: 1,
        }
    }

    /// Why it ended, if it has.
    pub fn stop(&self) -> Option<Stop> {
        if let Phase::Done { stop } = self.phase { Some(stop) } else { None }
    }

    /// The best trial so far: by verdict, then by score, then the latest. A trial that was judged counts even if the run
    /// was interrupted before it ended.
    pub fn best(&self, options: &Options) -> Option<Trial> {
        let open = self.open.as_ref().and_then(|open| open.judged(self, options));
        let worth = |trial: &Trial| {
            let score = trial.evaluation.score.map_or(-1.0, f64::from);
            (trial.verdict, score, trial.number)
        };
        let all = self.trials.iter().cloned().chain(open);
        all.reduce(|best, other| if worth(&other) > worth(&best) { other } else { best })
    }

    /// `run_id/trial/candidate`: what makes recording twice the same as recording once.
    pub fn idempotency_key(&self, trial: u32, candidate: u32) -> String {
        format!("{}/{trial}/{candidate}", self.run_id)
    }

    /// Goes on where it was interrupted, with options that may have changed. A run that came to its end stays there.
    pub(crate) fn reopen(&mut self, options: &Options) {
        if let Some(phase) = self.interrupted.take() {
            self.phase = phase;
        }
        self.notes.resize(options.memory_size);
        match self.phase {
            Phase::Recall { trial } | Phase::Start { trial } if trial > options.max_trials.get() => {
                self.phase = Phase::Done { stop: Stop::MaxTrials };
            }
            // Fewer candidates may be wanted than before, and all of those may have been judged.
            Phase::Act { trial } | Phase::Evaluate { trial } => self.decide(trial, options),
            _ => {}
        }
        self.resumes = self.resumes.saturating_add(1);
        self.next_seq = self.next_seq.max(u64::from(self.resumes) * SEQ_PER_RESUME);
    }
}
