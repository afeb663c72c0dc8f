//! The judge: a model that reviews traces.

use reflect_types::{JudgeSettings, JudgeState, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "openapi")]
use crate::traces::TrajectoryInput;

/// The state of a project's judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeStatus {
    /// The settings.
    pub settings: JudgeSettings,
    /// The model. Null if none is configured.
    pub model: Option<String>,
    /// What the judge currently does.
    pub state: JudgeState,
    /// Whether it agrees too little with people for its reviews to count.
    pub stopped: bool,
    /// The state as a sentence, with the reason.
    pub message: String,
    /// What to do. Null if nothing needs to be done.
    pub fix: Option<String>,
    /// How well the judge agrees with people.
    pub agreement: JudgeAgreement,
    /// What the judge did in the last 7 days.
    pub last_week: JudgeWeek,
    /// The tokens used today (UTC).
    pub tokens_today: u64,
}

/// How well the judge agrees with people, with its current model and rubric. Measured on the last 200 traces that it
/// judged blind (its result was hidden from reviewers) and that a person reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeAgreement {
    /// How many such traces there are.
    pub pairs: u64,
    /// On how many of them both agree.
    pub agreed: u64,
    /// Traces that people passed.
    pub passes: u64,
    /// Passed traces that the judge passed too.
    pub passes_right: u64,
    /// Traces that people failed.
    pub fails: u64,
    /// Failed traces that the judge failed too.
    pub fails_right: u64,
    /// The rate of correct passes: `(passes_right + 3) / (passes + 4)`.
    pub tpr: f64,
    /// The rate of correct fails: `(fails_right + 3) / (fails + 4)`.
    pub tnr: f64,
    /// `tpr + tnr − 1`: 1 for perfect agreement, 0 for chance. A judge that always gives the same result approaches 0.
    pub informedness: f64,
    /// The learning rate of the judge's reviews: 0.1 times the informedness, but not below 0.
    pub step: f64,
}

/// What the judge did in the last 7 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeWeek {
    /// Traces that it judged.
    pub judged: u64,
    /// Traces that it passed.
    pub passed: u64,
    /// Traces that it failed.
    pub failed: u64,
    /// Traces without a clear result. They stay pending.
    pub unclear: u64,
    /// Traces whose result is hidden from reviewers, to measure the agreement.
    pub blind: u64,
    /// Traces whose result became a review.
    pub applied: u64,
}

/// Asks the judge about a trace, stored or in the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TryJudge {
    /// A stored trace. The other fields of the trace are then ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The task of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The messages of the run, or their JSON text, or any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<TrajectoryInput>))]
    pub trajectory: Option<Box<RawValue>>,
    /// The agent's answer. Default: the last assistant message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Fixed text, such as a policy, that the judge compares the run with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_context: Option<String>,
    /// A rubric that replaces the project's rubric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
}

/// The judge's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JudgeVerdict {
    /// The agent did the task.
    Pass,
    /// The agent did not do the task.
    Fail,
    /// The judge had no clear result, or its response could not be parsed. No review would be stored.
    Unclear,
}

/// The judge's opinion on a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeOpinion {
    /// The trace, if it is a stored one.
    pub trace_id: Option<TraceId>,
    /// The result.
    pub verdict: JudgeVerdict,
    /// What was right or wrong.
    pub feedback_text: Option<String>,
    /// How strongly the score supports the result, 0 to 1. Null without a score.
    pub confidence: Option<f32>,
    /// The model.
    pub model: String,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}
