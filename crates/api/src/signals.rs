//! Signals: outcomes of runs that other systems report, and votes with a feedback token.

use chrono::{DateTime, Utc};
use reflect_types::{ReviewResult, RunKeyName, SignalId, SignalSettings, SignalSource, SourceRule, TraceId};
use serde::{Deserialize, Serialize};

use crate::error::ErrorDetail;
use crate::judge::JudgeAgreement;

/// A key that runs declare in `keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunKey {
    /// Its name: `session`, `conversation`, `commit`, `pull_request`, `ticket`, or another name.
    pub name: RunKeyName,
    /// Its value, at most 200 bytes.
    pub value: String,
}

/// Reports the outcome of a run. Names the run, or a key of it: exactly one of `trace_id` and `key`, and exactly one of
/// `outcome` and `score`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SendSignal {
    /// The system that reports it: `ci`, `tests`, `user`, `ticket`, `merge`, `evaluation`, or another name.
    pub source: SignalSource,
    /// The run. It may arrive later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// A key that the run declares. By default it means the latest run that began before the signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<RunKey>,
    /// `pass` or `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ReviewResult>,
    /// A score from 0 to 1. The project's thresholds for the source make a result of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1))]
    pub score: Option<f64>,
    /// When it happened: not in the future, and not more than a year ago. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<DateTime<Utc>>,
    /// Tells a repeated signal of this source from a new one, at most 255 bytes. A repeated one is stored once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What was right or wrong, such as the names of failed tests, at most 16 kB. It becomes the feedback of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Where to read more, at most 2000 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Any data to show with it, at most 4 kB.
    #[serde(default, deserialize_with = "crate::limited::metadata", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
}

impl SendSignal {
    /// A signal about no run yet.
    pub const fn new(source: SignalSource) -> Self {
        Self {
            source,
            trace_id: None,
            key: None,
            outcome: None,
            score: None,
            occurred_at: None,
            idempotency_key: None,
            comment: None,
            url: None,
            metadata: None,
        }
    }
}

/// Sends many signals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SendSignals {
    /// At most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub signals: Vec<SendSignal>,
}

/// What a signal has found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SignalStatus {
    /// It is about stored runs.
    Matched,
    /// It waits up to 30 days for its run.
    Waiting,
}

/// An accepted signal. It becomes a review later, if the rules of the project say so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AcceptedSignal {
    /// The signal's id. For a repeated signal, that of the first.
    pub id: SignalId,
    /// What it has found so far.
    pub status: SignalStatus,
    /// The runs that it is about, newest first.
    pub trace_ids: Vec<TraceId>,
}

/// One result for each signal of a batch, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalsAnswer {
    /// As many as were sent.
    pub results: Vec<SignalItem>,
}

/// The result of one signal of a batch: accepted or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum SignalItem {
    /// Accepted.
    Taken(AcceptedSignal),
    /// Refused.
    Refused {
        /// Why it was refused.
        error: ErrorDetail,
    },
}

/// What a signal means for its run now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SignalMeaning {
    /// Its result is the result of the run, unless a person reviewed it.
    Decides,
    /// It has the same result as the one that decides.
    Agrees,
    /// A later signal of its source replaces it.
    Superseded,
    /// A signal of a source with a higher precedence, or a later one, contradicts it.
    Outweighed,
    /// It waits for a signal that contradicts it.
    Waits,
    /// Its score lies between the thresholds.
    Unclear,
    /// The project does not count its source.
    NotCounted,
    /// Its source agrees too little with people.
    Stopped,
}

/// A signal about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceSignal {
    /// The signal's id.
    pub id: SignalId,
    /// The system that reported it.
    pub source: SignalSource,
    /// The key by which it found the run. Null if it named the run.
    pub key: Option<RunKey>,
    /// The result, if it reported one.
    pub outcome: Option<ReviewResult>,
    /// The score, if it reported one.
    pub score: Option<f64>,
    /// The result that it means under the rule of its source. Null if a score lies between the thresholds.
    pub result: Option<ReviewResult>,
    /// What it means now.
    pub meaning: SignalMeaning,
    /// Until when it waits.
    pub waits_until: Option<DateTime<Utc>>,
    /// When it happened.
    pub occurred_at: DateTime<Utc>,
    /// When it was received.
    pub received_at: DateTime<Utc>,
    /// The comment.
    pub comment: Option<String>,
    /// Where to read more.
    pub url: Option<String>,
    /// The data that was sent with it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Value>,
    /// Whether it is a vote with a feedback token.
    pub by_feedback_token: bool,
}

/// The signals about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalsOfTrace {
    /// In the order in which they happened. Empty while they are withheld.
    pub signals: Vec<TraceSignal>,
    /// How many are withheld until a person has reviewed the run, to measure their sources against people.
    pub withheld: u64,
    /// When they may change the review although no further signal arrives.
    pub again_at: Option<DateTime<Utc>>,
}

/// The recent signals of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalWeek {
    /// How many signals were received in the last 7 days.
    pub signals: u64,
    /// How many of them wait for a run.
    pub waiting: u64,
    /// How many reviews were made from signals of this source and still count.
    pub reviews: u64,
}

/// The rule of a source and its measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceValue {
    /// The source.
    pub source: SignalSource,
    /// Its rule: what the project sets, and the usual values for the rest.
    pub rule: SourceRule,
    /// How well it agrees with people, on runs that both judged independently. `step` is the learning rate of its reviews.
    pub agreement: JudgeAgreement,
    /// The 95 % confidence interval of the share of equal results. Null without such runs.
    pub interval: Option<[f64; 2]>,
    /// Whether it agrees too little with people for its signals to become reviews.
    pub stopped: bool,
    /// Its signals in the last 7 days.
    pub last_week: SignalWeek,
}

/// All sources of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalSources {
    /// The settings.
    pub settings: SignalSettings,
    /// The sources, highest precedence first.
    pub sources: Vec<SourceValue>,
}

/// Issues a feedback token for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IssueFeedbackToken {
    /// How long it works, in seconds, 60 to 2592000. Default: 604800 (7 days).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 60, maximum = 2_592_000))]
    pub expires_in_seconds: Option<u64>,
}

/// A token with which one run can be voted on at `POST /v1/feedback`, without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FeedbackToken {
    /// The token.
    pub token: String,
    /// The run.
    pub trace_id: TraceId,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// A vote on a run. Exactly one of `outcome` and `score`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SendFeedback {
    /// The feedback token of the run.
    pub token: String,
    /// `pass` (thumbs up) or `fail` (thumbs down).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ReviewResult>,
    /// A score from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1))]
    pub score: Option<f64>,
    /// What the user wrote, at most 2000 bytes. Reviewers see it; nothing is learned from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}
