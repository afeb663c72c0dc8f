//! Projects as the contract shows them.

use serde::{Deserialize, Serialize};

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
