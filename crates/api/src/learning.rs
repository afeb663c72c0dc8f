//! Whether learning works: what memories do for runs, and whether the loop is closed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which runs are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UpliftQuery {
    /// Only runs since then; all that are kept when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<DateTime<Utc>>,
    /// The share of reviews that are wrong, when it is known: at least 0, less than 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_error: Option<f64>,
}

/// Whether memories help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Uplift {
    /// Whether memories were held back from some runs by lot. Only then is the difference what memories do;
    /// otherwise runs that had memories are compared with runs that had none, which may differ in other ways.
    pub causal: bool,
    /// Runs with memories.
    pub with_memories: UpliftArm,
    /// Runs without memories: the held-out ones, when `causal`.
    pub without_memories: UpliftArm,
    /// The pass rate with memories minus the one without; null while one of them has no review.
    pub difference: Option<UpliftDifference>,
    /// The same, corrected for wrong reviews; null unless `review_error` was sent.
    pub corrected: Option<UpliftDifference>,
    /// Whether the interval excludes zero, so that memories help or do harm. False unless `causal`.
    pub settled: bool,
    /// About how many more held-out runs have to be reviewed to settle it, if the rates and the split stay as they
    /// are; 0 when it is settled, null when that cannot be said.
    pub more_held_out_reviews: Option<u64>,
    /// Why that cannot be said; null when it can.
    pub reason: Option<String>,
    /// Only runs since then were counted; null for all that are kept.
    pub since: Option<DateTime<Utc>>,
    /// All of this in words.
    pub message: String,
}

/// Runs on one side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpliftArm {
    /// How many there are.
    pub runs: u64,
    /// Those with a review. Only these count; the fewer they are of `runs`, the less can be concluded.
    pub reviewed: u64,
    /// Those that passed.
    pub passed: u64,
    /// The share of reviewed runs that passed; null without a review.
    pub pass_rate: Option<f64>,
}

/// A difference of pass rates, as shares: 0.15 is 15 points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpliftDifference {
    /// The difference itself.
    pub value: f64,
    /// The least it is, in 95 of 100 cases (Newcombe's interval).
    pub low: f64,
    /// The most it is.
    pub high: f64,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HealthLevel {
    /// As it should be.
    Ok,
    /// Too little has happened to tell.
    Unknown,
    /// The loop works worse than it could.
    Warning,
    /// The loop is open: something is not learned or not used.
    Failing,
}

/// Whether the learning loop is closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoopHealth {
    /// The worst of what is known; `unknown` when nothing is.
    pub status: HealthLevel,
    /// Every check, worst first.
    pub checks: Vec<HealthCheck>,
}

/// What one check says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HealthCheck {
    /// Its name, a stable word to branch on: `nobody_reviews`, `credit_lost`, `always_empty`, `flat_utilities`,
    /// `reflection_failing`, `vague_feedback`, `judge_unreliable`, `duplicates`, `one_memory_everywhere` or
    /// `sdk_losing_data`. There may be more.
    pub check: String,
    /// How bad it is.
    pub level: HealthLevel,
    /// What is the case, in words, with its numbers and the window they were counted over.
    pub message: String,
    /// What to do about it; null where there is nothing to do.
    pub fix: Option<String>,
    /// The numbers by name.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub numbers: Value,
}

/// What a client says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportClient {
    /// Its name, such as the host, 1 to 200 characters. Its next report takes the place of this one.
    pub client: String,
    /// What it runs, with version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<String>,
    /// How many runs it has lost since it started; 0 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// How many runs wait there to be sent; 0 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spooled: Option<u64>,
}
