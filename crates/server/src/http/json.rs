//! Request bodies: JSON of limited size and depth. Errors name the position.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use reflect_api::decode;
use reflect_store::Claim;
use reflect_types::{MAX_DEPTH, json_cost};
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::http::route::{BodyLimit, MatchedRoute};
use crate::http::warnings::RequestWarnings;

const LONGEST_KEY: usize = 255;
/// To parse 30 MB takes tenths of a second. Other requests must not wait for it.
const PARSED_ELSEWHERE: usize = 256 * 1024;

/// The body of a POST, and the claim that identifies a repeated request.
#[derive(Debug)]
pub(crate) struct Post<T> {
    pub(crate) body: T,
    pub(crate) claim: Option<Claim>,
}

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Post<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        check_content_type(request.headers())?;
        let key = idempotency_key(request.headers())?;
        let path = request.uri().path().to_owned();
        let warnings = request.extensions().get::<RequestWarnings>().cloned().unwrap_or_default();
        let limit = body_limit(&request);
        // The body is in memory: `body` has read it.
        let bytes = Bytes::from_request(request, state).await.map_err(|_| ApiError::internal())?;
        let size = bytes.len();
        let read = move || -> Result<Self, ApiError> {
            let claim = key.map(|key| Claim { key, request_digest: request_digest(&path, &bytes) });
            Ok(Self { body: parse(&bytes, limit, &warnings)?, claim })
        };
        if size < PARSED_ELSEWHERE {
            return read();
        }
        let read = tokio::task::spawn_blocking(read);
        read.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
    }
}

/// The claim of a request without a body.
#[derive(Debug)]
pub(crate) struct Repeatable(pub(crate) Option<Claim>);

impl<S: Send + Sync> FromRequestParts<S> for Repeatable {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // The query is part of what such a request means.
        let address = parts.uri.path_and_query().map_or_else(|| parts.uri.path(), PathAndQuery::as_str);
        let claim = |key| Claim { key, request_digest: request_digest(address, &[]) };
        Ok(Self(idempotency_key(&parts.headers)?.map(claim)))
    }
}

/// Whether the request declares a JSON body.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

pub(crate) fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    if is_json(headers) {
        return Ok(());
    }
    let message = "the Content-Type is not JSON; send `Content-Type: application/json`";
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message))
}

pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) if !key.is_empty() && key.len() <= LONGEST_KEY => Ok(Some(key.to_owned())),
        _ => Err(ApiError::invalid("the header Idempotency-Key must have 1 to 255 ASCII characters")),
    }
}

fn request_digest(path: &str, body: &[u8]) -> [u8; 32] {
    let mut digest = blake3::Hasher::new();
    digest.update(&(path.len() as u64).to_be_bytes());
    digest.update(path.as_bytes());
    digest.update(body);
    digest.finalize().into()
}

/// The limit of the request's route.
pub(crate) fn body_limit(request: &Request) -> BodyLimit {
    request.extensions().get::<MatchedRoute>().map_or(BodyLimit::Form, |matched| matched.route.body_limit)
}

/// Rejects bodies that would overflow the parser's stack, or whose values would take too much memory.
pub(crate) fn check_cost(bytes: &[u8], limit: BodyLimit) -> Result<(), ApiError> {
    let cost = json_cost(bytes);
    if cost.depth > MAX_DEPTH {
        return Err(ApiError::invalid(format!(
            "the body has more than {MAX_DEPTH} nested levels; use fewer"
        )));
    }
    if cost.exceeds(limit.values()) {
        let message = format!(
            "the body has about {} values, at most {} are accepted; send less data per request, or large data as text",
            cost.values,
            limit.values()
        );
        return Err(ApiError::invalid(message));
    }
    Ok(())
}

/// Decodes a body.
pub(super) fn parse<T: DeserializeOwned>(
    bytes: &[u8],
    limit: BodyLimit,
    warnings: &RequestWarnings,
) -> Result<T, ApiError> {
    check_cost(bytes, limit)?;
    // serde would also accept an array of the fields' values.
    if bytes.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'[' | b'"' | b'0'..=b'9')) {
        return Err(ApiError::invalid("the body must be a JSON object"));
    }
    let decoded = decode(bytes);
    warnings.unknown_fields(&decoded.unknown, decoded.has_more);
    decoded.body.map_err(|error| {
        // The error contains line and column. A data error also says what was expected.
        let message = format!("the body is not valid: {error}");
        match error.classify() {
            serde_json::error::Category::Data => ApiError::invalid(message),
            _ => ApiError::new(StatusCode::BAD_REQUEST, "invalid_json", message),
        }
    })
}
