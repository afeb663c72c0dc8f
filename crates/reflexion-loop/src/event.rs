//! The events of a run.

use reflect_evaluation::{Score, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::BudgetKind;
use crate::state::{Phase, Stop};

/// An event with its run, number and time.
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
    /// Its number. Numbers of a run increase strictly, also after a resume.
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
        // Serialisation cannot fail: all map keys are strings.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What happened.
///
/// For each trial: `trial_start`, any number of `delta`, `tool_call` and `tool_result`, `evaluated`, then perhaps
/// `reflection_generated` and `trace_recorded`, and `trial_end`. Events of several candidates mix until one is chosen.
///
/// See [`Envelope`] for an example of one, and [`RunHandle`](crate::RunHandle) for how to read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The run starts or resumes.
    RunStart {
        /// The task.
        task: String,
        /// The maximum number of trials.
        max_trials: u32,
        /// The number of resumes.
        resumes: u32,
    },
    /// Memories were recalled.
    MemoriesRecalled {
        /// For this trial.
        trial_number: u32,
        /// Which ones, the best first.
        memory_ids: Vec<String>,
    },
    /// The long-term memory failed, and the run continues without it.
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
    /// A piece of text from the actor. Dropped if the reader is too slow.
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
        /// The arguments.
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
        /// The result.
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
        /// The score.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        /// The feedback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    /// A reflection was made.
    ReflectionGenerated {
        /// On this trial.
        trial_number: u32,
        /// The text of the note.
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
        /// Its memory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory_id: Option<String>,
    },
    /// A trial has ended. It comes for every trial, the failed ones included.
    TrialEnd {
        /// Which one.
        trial_number: u32,
        /// Whether the trial passed.
        success: bool,
        /// The feedback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        /// The score.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        /// Pass, fail or unclear.
        verdict: Verdict,
    },
    /// A budget limit is reached.
    Budget {
        /// Which one.
        kind: BudgetKind,
    },
    /// The state was saved.
    Checkpoint {
        /// The phase of the run.
        #[serde(flatten)]
        phase: Phase,
    },
    /// The run ended or failed.
    RunEnd {
        /// Whether the task was done.
        success: bool,
        /// How many trials have ended.
        trials: u32,
        /// Why it ended. `None` if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Stop>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

impl Event {
    /// Whether the event can be dropped for a slow reader.
    pub const fn is_lossy(&self) -> bool {
        matches!(self, Self::Delta { .. })
    }
}
