//! Projects and their settings.

use reflect_types::{
    JudgeSettings, LessonSettings, OtlpSettings, Ranking, RedactionSettings, RetentionSettings,
    SignalSettings,
};
use serde::{Deserialize, Serialize};

/// The response to the deletion of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeletedProject {
    /// The deleted project.
    pub project_id: String,
    /// True: its keys no longer work and its rows are being removed.
    pub deleted: bool,
    /// How many keys were revoked.
    pub revoked_keys: u64,
}

/// A project's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Project {
    /// The project.
    pub project_id: String,
    /// Which number is used as a memory's utility: `learned` (its credit) or `classic` (its `q_value`).
    pub ranking: Ranking,
    /// The largest number of model tokens per day (UTC). Null means the server's limit.
    pub daily_tokens: Option<u64>,
    /// The share of retrievals that return no memories, to measure the effect of memories. 0 means none.
    pub holdout_rate: f64,
    /// The judge, which reviews traces that have no review.
    #[serde(default)]
    pub judge: JudgeSettings,
    /// What is redacted before texts are stored or sent to a model.
    #[serde(default)]
    pub redaction: RedactionSettings,
    /// How many days data is kept, where that is shorter than the installation's retention.
    #[serde(default)]
    pub retention: RetentionSettings,
    /// How lessons are grouped, superseded and weighted.
    #[serde(default)]
    pub lessons: LessonSettings,
    /// How signals become reviews.
    #[serde(default)]
    pub signals: SignalSettings,
    /// How runs that arrive as OpenTelemetry spans are taken.
    #[serde(default)]
    pub otlp: OtlpSettings,
}
