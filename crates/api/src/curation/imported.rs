//! The provenance of an imported memory.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Where an imported memory comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedFrom {
    /// A digest of the item, made by the importer. With the same key, a memory is created once, even if it was deleted
    /// since.
    pub key: Uuid,
    /// The importer, such as `rules` or `mem0`.
    pub importer: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The id of the item in its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
}
