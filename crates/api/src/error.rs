//! The body of every error response.

use serde::{Deserialize, Serialize};

/// The body of every error response.
///
/// ```
/// let body = r#"{"error":{"code":"not_found","message":"no such trace","request_id":"r1"}}"#;
/// let body: reflect_api::ErrorBody = serde_json::from_str(body).unwrap();
/// assert_eq!(body.error.code, "not_found");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorDetail,
}

/// An error, for programs and people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorDetail {
    /// A stable code for programs. docs/API.md lists the codes.
    pub code: String,
    /// A message for people. It may change.
    pub message: String,
    /// Finds this request in the server's log.
    pub request_id: String,
    /// Where the error is in the parameter `q`. Only with the code `invalid_filter`, and only if one word is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<ErrorPosition>,
}

/// A part of a text, counted in Unicode characters from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorPosition {
    /// The first character.
    pub start: usize,
    /// The character after the last one.
    pub end: usize,
}
