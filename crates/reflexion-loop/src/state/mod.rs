//! The state of a run as a pure state machine. It can be serialised after every step.
//!
//! [`next_step`] returns the next step and [`apply`] applies its result. Both are deterministic: they do no input or
//! output and do not read a clock.

mod apply;
mod decide;
mod next_step;
pub(crate) mod prompt;
mod trial;

use reflect_evaluation::Task;
use serde::{Deserialize, Serialize};

pub use apply::{OutOfOrder, Transition};
pub use next_step::NextStep;
pub use trial::{Candidate, OpenTrial, Trial};

use crate::budget::{BudgetKind, Spent};
use crate::long_term::RecalledMemory;
use crate::notes::Notes;
use crate::options::{Options, RunConfig};

/// Why a run ended.
///
/// See [`Outcome`](crate::Outcome) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A trial passed.
    Passed,
    /// The verdict was not a pass, but the score reached the threshold.
    ScoreReached,
    /// The last trial ended without a pass.
    MaxTrials,
    /// A budget limit was reached.
    Budget(BudgetKind),
    /// A trial repeated the answer and the feedback of the previous one.
    Stalled,
    /// The caller cancelled the run.
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

    /// Whether the run can continue after a resume.
    pub const fn is_interruption(self) -> bool {
        matches!(self, Self::Budget(_) | Self::Cancelled)
    }
}

/// The phase of a run: what comes next.
///
/// See [`RunState`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The run has not started.
    New,
    /// Recall memories for this trial.
    Recall {
        /// The trial.
        trial: u32,
    },
    /// Start this trial.
    Start {
        /// The trial.
        trial: u32,
    },
    /// Candidates act.
    Act {
        /// The trial.
        trial: u32,
    },
    /// All candidates have acted, and some have no verdict.
    Evaluate {
        /// The trial.
        trial: u32,
    },
    /// Generate a reflection.
    Reflect {
        /// The trial.
        trial: u32,
    },
    /// Call the hooks and emit the event for the reflection.
    Announce {
        /// The trial.
        trial: u32,
    },
    /// Record the trial.
    Record {
        /// The trial.
        trial: u32,
    },
    /// End the trial.
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

/// The format version of a serialised state. Reading rejects unknown versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

const VERSION: u32 = 1;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        let other = || format!("the state has version {version}, but this library reads version {VERSION}");
        (version == VERSION).then_some(Self).ok_or_else(other)
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        VERSION
    }
}

/// The state of a run.
///
/// ```
/// use reflexion_loop::{NextStep, RunConfig, RunState, Transition};
///
/// let config = RunConfig::default();
/// let mut state = RunState::new("run-1", "Count the orders", &config.options);
/// assert_eq!(state.next_step(&config), NextStep::Begin);
///
/// state.apply(&config, Transition::Begun).unwrap();
/// assert_eq!(state.next_step(&config), NextStep::Start { trial: 1 });
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
    /// The task.
    pub task: Task,
    /// The current phase.
    #[serde(flatten)]
    pub phase: Phase,
    /// The phase in which the run was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Phase>,
    /// The trials that have ended, in order.
    pub trials: Vec<Trial>,
    /// The current trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenTrial>,
    /// The notes of earlier trials.
    pub notes: Notes,
    /// The memories of the last recall.
    #[serde(default)]
    pub recalled: Vec<RecalledMemory>,
    /// The receipt of the last recall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<String>,
    /// The total cost.
    pub spent: Spent,
    /// How often the run was resumed.
    #[serde(default)]
    pub resumes: u32,
    /// The number of the next event.
    pub next_seq: u64,
}

/// The first event number after resume N is N times this value. A crashed process may have sent events after its last
/// checkpoint, so their numbers are skipped.
const SEQ_PER_RESUME: u64 = 1_000_000_000;

impl RunState {
    /// A run that has not started.
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

    /// Why the run ended. `None` if it has not.
    pub fn stop(&self) -> Option<Stop> {
        if let Phase::Done { stop } = self.phase { Some(stop) } else { None }
    }

    /// The best trial: by verdict, then by score, then the latest. An evaluated trial counts even if the run was
    /// interrupted before the trial ended.
    pub fn best(&self, options: &Options) -> Option<Trial> {
        let open = self.open.as_ref().and_then(|open| open.judged(self, options));
        let rank = |trial: &Trial| {
            let score = trial.evaluation.score.map_or(-1.0, f64::from);
            (trial.verdict, score, trial.number)
        };
        let all = self.trials.iter().cloned().chain(open);
        all.reduce(|best, other| if rank(&other) > rank(&best) { other } else { best })
    }

    /// `run_id/trial/candidate`: recording with the same key twice has the effect of recording once.
    pub fn idempotency_key(&self, trial: u32, candidate: u32) -> String {
        format!("{}/{trial}/{candidate}", self.run_id)
    }

    /// Continues an interrupted run. The options can differ from before. A completed run stays completed.
    pub(crate) fn reopen(&mut self, config: &RunConfig) {
        let options = &config.options;
        if let Some(phase) = self.interrupted.take() {
            self.phase = phase;
        }
        self.notes.resize(options.memory_size);
        match self.phase {
            Phase::Recall { trial } | Phase::Start { trial } if trial > options.max_trials => {
                self.phase = Phase::Done { stop: Stop::MaxTrials };
            }
            // `parallel` can be lower than before, and all of these candidates can have an evaluation.
            Phase::Act { trial } | Phase::Evaluate { trial } => self.choose(trial, config),
            _ => {}
        }
        self.resumes = self.resumes.saturating_add(1);
        self.next_seq = self.next_seq.max(u64::from(self.resumes) * SEQ_PER_RESUME);
    }
}
