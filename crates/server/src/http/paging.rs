//! Pages of a list: a cursor in, a cursor out.
//!
//! The body of a list is a bare array, because that is what older clients read; where to go on
//! stands in a header.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::http::error::ApiError;

/// Where to go on, on an answer that is not the end.
pub(crate) const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");
const LARGEST_PAGE: u32 = 100;

/// Which part of a list is asked for.
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
            Some(_) => Err(ApiError::invalid(format!("limit must lie between 1 and {LARGEST_PAGE}"))),
        }
    }

    pub(crate) fn cursor(&self) -> Result<Option<Uuid>, ApiError> {
        let cursor = self.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        cursor
            .map(str::parse)
            .transpose()
            .map_err(|_| ApiError::invalid("cursor must be the X-Next-Cursor header of an earlier answer"))
    }
}

/// A bare array, and the header that leads on.
pub(crate) fn page<T: Serialize>(items: Vec<T>, next: Option<Uuid>) -> Response {
    let mut response = Json(items).into_response();
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next.to_string()).ok()) {
        response.headers_mut().insert(NEXT_CURSOR, next);
    }
    response
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(rejection.body_text())
    }
}
