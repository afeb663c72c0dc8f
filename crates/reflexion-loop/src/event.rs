//! What can be seen of a run from outside, as it happens.

use reflect_evaluation::{Score, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BudgetKind, Phase, Stop};

/// An event with what is common to all: whose it is, which one, and when.
///
/// ```
/// use reflexion_loop::{Envelope, Event};
///
/// let envelope = Envelope {
///     run_id: "run-1".into(),
///     seq: 7,
///     at: "2026-11-15T10:33:28.123Z".into(),
///     event: Event::TrialStart { trial_number: 2 },
/// };
/// assert_eq!(
///     envelope.json_line(),
///     r#"{"run_id":"run-1","seq":7,"at":"2026-11-15T10:33:28.123Z","type":"trial_start","trial_number":2}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The run.
    pub run_id: String,
    /// Its place: every event of a run has a larger number than the one before, also after a resumption.
    pub seq: u64,
    /// When, in UTC.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl Envelope {
    /// One line of JSON, without its end.
    pub fn json_line(&self) -> String {
        // Nothing in here can fail to be JSON: no maps with other keys, no numbers that are none.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What happened.
///
/// For each trial: `trial_start`, any number of `delta`, `tool_call` and `tool_result`, `evaluated`, then perhaps
/// `reflection_generated` and `trace_recorded`, and `trial_end`. Events of several candidates mix until one is chosen.
///
/// See [`Envelope`] for an example of one, and [`Run`](crate::Run) for how to read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The run begins or goes on.
    RunStart {
        /// What was asked.
        task: String,
        /// The most trials.
        max_trials: u32,
        /// How often it was resumed.
        resumes: u32,
    },
    /// Memories were recalled.
    MemoriesRecalled {
        /// For this trial.
        trial_number: u32,
        /// Which ones, the best first.
        memory_ids: Vec<String>,
    },
    /// The long-term memory did not answer, and the run goes on without.
    MemoryUnavailable {
        /// In this trial.
        trial_number: u32,
        /// `recall` or `record`.
        operation: String,
        /// What happened.
        error: String,
    },
    /// A trial begins.
    TrialStart {
        /// Which one.
        trial_number: u32,
    },
    /// Text from the actor, as it comes. Left out when nobody keeps up.
    Delta {
        /// The trial.
        trial_number: u32,
        /// The candidate.
        candidate: u32,
        /// The text.
        text: String,
    },
    /// The actor calls a tool.
    ToolCall {
        /// The trial.
        trial_number: u32,
        /// The candidate.
        candidate: u32,
        /// The tool.
        name: String,
        /// With what.
        arguments: Value,
    },
    /// A tool has answered the actor.
    ToolResult {
        /// The trial.
        trial_number: u32,
        /// The candidate.
        candidate: u32,
        /// The tool.
        name: String,
        /// What it said.
        result: Value,
    },
    /// A candidate was evaluated.
    Evaluated {
        /// The trial.
        trial_number: u32,
        /// The candidate.
        candidate: u32,
        /// Pass, fail or unclear.
        verdict: Verdict,
        /// How good it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        /// The same in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    /// A reflection was made.
    ReflectionGenerated {
        /// On this trial.
        trial_number: u32,
        /// What was noted.
        reflection: String,
    },
    /// A candidate was recorded.
    TraceRecorded {
        /// The trial.
        trial_number: u32,
        /// The candidate.
        candidate: u32,
        /// Its trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trace_id: Option<String>,
        /// The memory it became.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory_id: Option<String>,
    },
    /// A trial has ended. It comes for every trial, the failed ones included.
    TrialEnd {
        /// Which one.
        trial_number: u32,
        /// Whether it was good enough.
        success: bool,
        /// What was said of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        /// How good it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        /// Pass, fail or unclear.
        verdict: Verdict,
    },
    /// A limit of the budget is reached.
    Budget {
        /// Which one.
        kind: BudgetKind,
    },
    /// The state was saved.
    Checkpoint {
        /// Where the run stands.
        #[serde(flatten)]
        phase: Phase,
    },
    /// The run has ended or cannot go on.
    RunEnd {
        /// Whether the task was done.
        success: bool,
        /// How many trials have ended.
        trials: u32,
        /// Why it ended. None if it broke.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Stop>,
        /// Why it broke.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

impl Event {
    /// Whether it may be left out when nobody keeps up.
    pub const fn is_lossy(&self) -> bool {
        matches!(self, Self::Delta { .. })
    }
}
