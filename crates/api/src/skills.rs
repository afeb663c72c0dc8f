//! Skills: one guide per project.

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use serde::{Deserialize, Serialize};

/// Asks for a project's skill to be written anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateSkill {
    /// How many lessons of passed runs go into it; 5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_passed: Option<u32>,
    /// How many lessons of failed runs go into it; 5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_failed: Option<u32>,
}

/// A project's skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Skill {
    /// The project.
    pub project_id: String,
    /// Counts up from 1.
    pub version: i32,
    /// The guide: Markdown with frontmatter.
    pub content: String,
    /// How many lessons of passed runs went into it.
    pub n_passed: i32,
    /// How many lessons of failed runs went into it.
    pub n_failed: i32,
    /// Those lessons.
    pub memory_ids: Vec<MemoryId>,
    /// The model that wrote it; null when the lessons are listed as they are.
    pub model: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}
