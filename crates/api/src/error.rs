//! The one shape of every answer that is not a success.

use serde::{Deserialize, Serialize};

/// What every failed call answers.
///
/// ```
/// let body = r#"{"error":{"code":"not_found","message":"no such trace","request_id":"r1"}}"#;
/// let body: reflect_api::ErrorBody = serde_json::from_str(body).unwrap();
/// assert_eq!(body.error.code, "not_found");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong, for a program and for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorDetail {
    /// A stable word to branch on; docs/API.md lists them.
    pub code: String,
    /// A sentence for a person; it may change.
    pub message: String,
    /// Finds this request in the server's log.
    pub request_id: String,
}
