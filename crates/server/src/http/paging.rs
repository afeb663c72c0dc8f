//! Pages of a list.
//!
//! The body of a list is an array, which older clients expect. The cursor of the next page is in a header.

use axum::Json;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::ApiError;

/// The cursor of the next page. Absent on the last page.
pub(crate) const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");
const LARGEST_PAGE: u32 = 100;

/// Which page to return.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct PageQuery {
    pub(crate) limit: Option<u32>,
    pub(crate) cursor: Option<String>,
}

impl PageQuery {
    pub(crate) fn limit(&self) -> Result<u32, ApiError> {
        match self.limit {
            None => Ok(LARGEST_PAGE),
            Some(limit) if (1..=LARGEST_PAGE).contains(&limit) => Ok(limit),
            Some(limit) => {
                Err(ApiError::invalid(format!("limit is {limit}; it must be between 1 and {LARGEST_PAGE}")))
            }
        }
    }

    pub(crate) fn cursor(&self) -> Result<Option<Uuid>, ApiError> {
        let cursor = self.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        cursor.map(str::parse).transpose().map_err(|_| {
            ApiError::invalid("cursor is not valid; send the header X-Next-Cursor of the previous page")
        })
    }
}

/// An array with the header for the next page.
pub(crate) fn page<T: Serialize>(items: Vec<T>, next: Option<Uuid>) -> Response {
    let mut response = Json(items).into_response();
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next.to_string()).ok()) {
        response.headers_mut().insert(NEXT_CURSOR, next);
    }
    response
}
