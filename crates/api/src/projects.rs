//! Projects as the contract shows them.

use reflect_types::{ChangeRedaction, Ranking, RedactionSettings, RetentionSettings};
use serde::{Deserialize, Serialize};

use crate::judge::{ChangeJudge, ProjectJudge};

/// The answer to the deletion of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeletedProject {
    /// The project that was deleted.
    pub project_id: String,
    /// True: its keys stopped working and its rows are being removed.
    pub deleted: bool,
    /// How many of its keys were revoked by it.
    pub revoked_keys: u64,
}

/// How a project is set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Project {
    /// The project.
    pub project_id: String,
    /// What is taken for a memory's utility: `learned` (its credit) or `classic` (its `q_value`).
    pub ranking: Ranking,
    /// The most tokens that models may be paid for in a day (UTC); null for the server's own limit.
    pub daily_tokens: Option<u64>,
    /// The share of retrievals that get no memories, so that what memories do can be measured; 0 for none.
    pub holdout_rate: f64,
    /// Who reviews runs that nobody reviews.
    #[serde(default)]
    pub judge: ProjectJudge,
    /// What is taken out of texts before they are stored or sent to a model.
    #[serde(default)]
    pub redaction: RedactionSettings,
    /// For how many days it keeps things, where that is shorter than the installation does.
    #[serde(default)]
    pub retention: RetentionSettings,
}

/// Changes settings of a project; those that are absent stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeProject {
    /// What is taken for a memory's utility: `learned` or `classic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The most tokens that models may be paid for in a day (UTC); null takes the project's own limit away.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub daily_tokens: Option<Option<u64>>,
    /// The share of retrievals that get no memories, 0 to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout_rate: Option<f64>,
    /// Who reviews runs that nobody reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ChangeJudge>,
    /// What is taken out of texts; what is absent in it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<ChangeRedaction>,
    /// For how many days things are kept. Takes the place of all that was set before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionSettings>,
}

/// Tells a null from a field that is not there.
pub(crate) fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(from).map(Some)
}
