//! Skills: one guide per project.

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use serde::{Deserialize, Serialize};

/// Writes a new version of the project's skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateSkill {
    /// How many lessons of passed runs are used. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_passed: Option<u32>,
    /// How many lessons of failed runs are used. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_failed: Option<u32>,
}

/// A project's skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Skill {
    /// The project.
    pub project_id: String,
    /// The version, starting at 1.
    pub version: i32,
    /// The guide: Markdown with frontmatter.
    pub content: String,
    /// How many lessons of passed runs were used.
    pub n_passed: i32,
    /// How many lessons of failed runs were used.
    pub n_failed: i32,
    /// The memories with these lessons.
    pub memory_ids: Vec<MemoryId>,
    /// The model that wrote it. Null if the lessons are only listed.
    pub model: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}
