//! Reviews: the verdict on a run.

use chrono::{DateTime, Utc};
use reflect_types::{Alpha, ReviewId, ReviewMode, ReviewResult, TraceId};
use serde::{Deserialize, Serialize};

/// A review that comes together with its trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InlineReview {
    /// `pass` or `fail`; `success` and `failure` are taken too.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    #[serde(default)]
    pub feedback_text: Option<String>,
    /// How far this review moves the utilities of the memories that were used; 0.3 when absent.
    #[serde(default)]
    pub alpha: Option<Alpha>,
    /// A lesson that the caller wrote itself, so that no model has to.
    #[serde(default)]
    pub reflection: Option<AuthoredReflection>,
}

/// A lesson written by the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct AuthoredReflection {
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas the lesson is about.
    pub applicable_tools: Vec<String>,
}

/// A verdict on a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Review {
    /// The review's id.
    pub id: ReviewId,
    /// The trace it judges.
    pub trace_id: TraceId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback_text: Option<String>,
    /// How it reached us.
    pub mode: ReviewMode,
    /// How far it moves the utilities of the memories that were used.
    pub alpha: f32,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}
