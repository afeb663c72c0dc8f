//! The audit log.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    /// The entry's id, in the order of time.
    pub id: Uuid,
    /// When.
    pub at: DateTime<Utc>,
    /// Who: `key:` and the public part of a key, `member:` and a name, `operator` for the command line, `anonymous` for
    /// requests without a known caller.
    pub actor: String,
    /// What, such as `key.create`, `session.begin`, `project.change` or `access.denied`.
    pub action: String,
    /// To which thing: an id, a name, or the route of a denied request.
    pub target: String,
    /// The address of the client. Null for commands and background work.
    pub address: Option<String>,
    /// The id of the request, which finds its lines in the server's log.
    pub request_id: Option<String>,
    /// More about it: names of changed settings, or the reasons and counts of denied requests.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub detail: Option<Value>,
}
