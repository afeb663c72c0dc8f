//! The judge as the contract shows it.

use reflect_types::TraceId;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "openapi")]
use crate::TrajectoryInput;
use crate::projects::present;

/// How a project's judge is set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ProjectJudge {
    /// Whether a model reviews runs that nobody has reviewed.
    pub enabled: bool,
    /// What a run has to meet, in words; empty when the task says it all.
    pub rubric: String,
    /// The share of runs that it looks at.
    pub sample_rate: f64,
    /// The share of those whose verdict is kept back, to be compared with what people say.
    pub blind_share: f64,
    /// The most tokens that it may cost in a day (UTC), within the project's own; null for no limit but that.
    pub daily_tokens: Option<u64>,
    /// How old a run must be before it looks, in seconds: people and clients go first.
    pub delay_seconds: u64,
}

/// As a server sets it when nobody said anything, for answers of servers that know no judge.
impl Default for ProjectJudge {
    fn default() -> Self {
        Self {
            enabled: false,
            rubric: String::new(),
            sample_rate: 1.0,
            blind_share: 0.2,
            daily_tokens: None,
            delay_seconds: 30,
        }
    }
}

/// Changes settings of a project's judge; those that are absent stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeJudge {
    /// Whether a model reviews runs that nobody has reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What a run has to meet, in words, 16 kB at most. Another rubric starts the judge's measurement anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// The share of runs that it looks at, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<f64>,
    /// The share of those whose verdict is kept back, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind_share: Option<f64>,
    /// The most tokens that it may cost in a day (UTC); null takes its own limit away.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub daily_tokens: Option<Option<u64>>,
    /// How old a run must be before it looks, in seconds, 30 days at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<u64>,
}

/// What a judge does at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JudgeState {
    /// It is switched off.
    Off,
    /// There is no model to ask.
    NoModel,
    /// It knows too little, and judges only its blind share, of which nothing comes.
    Stopped,
    /// Its tokens, or the project's, are used up for today.
    Spent,
    /// It judges.
    Judging,
}

/// How a project's judge stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeStatus {
    /// How it is set.
    pub settings: ProjectJudge,
    /// The model that is asked; null when none is configured.
    pub model: Option<String>,
    /// What it does at present.
    pub state: JudgeState,
    /// Whether it knows too little for its reviews to count.
    pub stopped: bool,
    /// What it does at present, and why, in words.
    pub message: String,
    /// What to do about it; null where there is nothing to do.
    pub fix: Option<String>,
    /// What its word is worth.
    pub agreement: JudgeAgreement,
    /// What it did in the last 7 days.
    pub last_week: JudgeWeek,
    /// The tokens that it cost today (UTC).
    pub tokens_today: u64,
}

/// What a judge's word is worth: from the last 200 runs that it looked at blind and that people reviewed, as it is set
/// now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeAgreement {
    /// How many such runs there are.
    pub pairs: u64,
    /// On how many both say the same.
    pub agreed: u64,
    /// Runs that people let pass.
    pub passes: u64,
    /// Those of them that the judge calls a pass.
    pub passes_right: u64,
    /// Runs that people let fail.
    pub fails: u64,
    /// Those of them that the judge calls a fail.
    pub fails_right: u64,
    /// How often it calls a pass a pass: `(passes_right + 3) / (passes + 4)`.
    pub tpr: f64,
    /// How often it calls a fail a fail: `(fails_right + 3) / (fails + 4)`.
    pub tnr: f64,
    /// `tpr + tnr − 1`: 1 when it knows all, 0 when it knows nothing. A judge that always says the same has 0.
    pub informedness: f64,
    /// How far its reviews move utilities: 0.1 times the informedness.
    pub step: f64,
}

/// What a judge did in the last days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeWeek {
    /// Runs that it looked at.
    pub judged: u64,
    /// Those it calls a pass.
    pub passed: u64,
    /// Those it calls a fail.
    pub failed: u64,
    /// Those it could not tell; they stay pending.
    pub unclear: u64,
    /// Those whose verdict is kept back.
    pub blind: u64,
    /// Those whose verdict became a review.
    pub applied: u64,
}

/// Asks what the judge would say of a run: a stored one, or one that comes along.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TryJudge {
    /// A stored run. The fields of a run are not looked at then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// What the agent was asked to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The messages of the run, or their JSON text, or any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<TrajectoryInput>))]
    pub trajectory: Option<Box<RawValue>>,
    /// What the agent answered; the last assistant message when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Fixed text that the run was held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_context: Option<String>,
    /// Another rubric than the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
}

/// What a judge says of a run, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JudgeVerdict {
    /// The agent did what it was asked to do.
    Pass,
    /// It did not.
    Fail,
    /// The judge could not tell, or could not be understood. It would become no review.
    Unclear,
}

/// What the judge says of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TriedJudge {
    /// The run, when it is a stored one.
    pub trace_id: Option<TraceId>,
    /// The verdict.
    pub verdict: JudgeVerdict,
    /// What was right or wrong, in words.
    pub feedback_text: Option<String>,
    /// How far its score backs its verdict, 0 to 1; null without a score.
    pub confidence: Option<f32>,
    /// The model that was asked.
    pub model: String,
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
}
