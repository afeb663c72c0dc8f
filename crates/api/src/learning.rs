//! Whether learning works: the effect of memories, and the health of the learning loop.

use chrono::{DateTime, Utc};
use reflect_types::HealthLevel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which traces are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UpliftQuery {
    /// Only traces since this time. Default: all stored traces.
    #[serde(
        default,
        deserialize_with = "crate::limited::bounded_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub since: Option<DateTime<Utc>>,
    /// The share of wrong reviews, if known: at least 0 and less than 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_error: Option<f64>,
}

/// Whether memories help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Uplift {
    /// Whether memories were held out from randomly sampled traces. Only then is the difference the effect of memories.
    /// Otherwise traces with memories are compared with traces without, which may differ in other ways.
    pub causal: bool,
    /// Traces with memories.
    pub with_memories: UpliftArm,
    /// Traces without memories: the held-out ones if `causal`.
    pub without_memories: UpliftArm,
    /// The pass rate with memories minus the pass rate without. Null while one side has no review.
    pub difference: Option<UpliftDifference>,
    /// The same, corrected for wrong reviews. Null unless `review_error` was sent.
    pub corrected: Option<UpliftDifference>,
    /// Whether the interval excludes zero: memories help or do harm. False unless `causal`.
    pub settled: bool,
    /// An estimate of how many more held-out traces need a review for a settled result, if the rates do not change.
    /// 0 if it is settled, null if it cannot be estimated.
    pub more_held_out_reviews: Option<u64>,
    /// Why it cannot be estimated. Null if it can.
    pub reason: Option<String>,
    /// Only traces since this time were counted. Null means all stored traces.
    pub since: Option<DateTime<Utc>>,
    /// A summary as a sentence.
    pub message: String,
}

/// The traces on one side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpliftArm {
    /// How many traces there are.
    pub runs: u64,
    /// Traces with a review. Only these count. A small share of `runs` makes the result less certain.
    pub reviewed: u64,
    /// Traces that passed.
    pub passed: u64,
    /// The share of reviewed traces that passed. Null without a review.
    pub pass_rate: Option<f64>,
}

/// A difference of pass rates. 0.15 means 15 percentage points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpliftDifference {
    /// The difference.
    pub value: f64,
    /// The lower end of the 95 % confidence interval (Newcombe).
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The health of the learning loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoopHealth {
    /// The worst known level. `unknown` if all are unknown.
    pub status: HealthLevel,
    /// Every check, worst first.
    pub checks: Vec<HealthCheck>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HealthCheck {
    /// The check's stable name: `nobody_reviews`, `credit_lost`, `always_empty`, `flat_utilities`,
    /// `reflection_failing`, `vague_feedback`, `judge_unreliable`, `duplicates`, `one_memory_everywhere`,
    /// `sdk_losing_data`, `keys_expiring`, `open_questions`, `use_unreliable` or `grouping_unfinished`. More may be added.
    pub check: String,
    /// The severity.
    pub level: HealthLevel,
    /// What was found, with the numbers and the time window.
    pub message: String,
    /// What to do. Null if nothing needs to be done.
    pub fix: Option<String>,
    /// The numbers by name.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub numbers: Value,
}

/// A client's report about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportClient {
    /// The client's name, such as the host, 1 to 200 characters. The next report with this name replaces this one.
    pub client: String,
    /// The client's SDK and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<String>,
    /// How many traces it has lost since it started. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// How many traces are waiting to be sent. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spooled: Option<u64>,
}
