//! Votes of the users of a chat: a feedback token instead of a key, from the pages of the configured origins.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use reflect_api::{ErrorBody, SendFeedback};

use crate::app::App;
use crate::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// How long a browser may remember the answer to a preflight request, in seconds.
const PREFLIGHT_AGE: &str = "600";

/// Vote on a run with its feedback token. No key is needed. A later vote with the same token replaces the earlier one.
#[utoipa::path(
    post, path = "/v1/feedback", tag = "signals", request_body = SendFeedback,
    responses((status = 204, description = "Stored"),
              (status = 401, description = "The token is not valid or has expired", body = ErrorBody),
              (status = 404, description = "The run was deleted", body = ErrorBody),
              (status = 429, description = "Too many votes", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn send_feedback(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    request: Post<SendFeedback>,
) -> Response {
    let mut response = match store(&app, request.body).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => error.into_response(),
    };
    allow_origin(&app, &headers, response.headers_mut());
    response
}

async fn store(app: &App, request: SendFeedback) -> Result<(), ApiError> {
    let (token, vote) = wire::feedback(request);
    app.feedback.check_token(&token).await?;
    Ok(app.engine.signals.vote(&token, vote).await?)
}

/// Answers the preflight request of a browser.
pub(crate) async fn preflight(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if allow_origin(&app, &headers, response.headers_mut()) {
        let answer = response.headers_mut();
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
        answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE));
    }
    response
}

/// Lets pages of the origin read the response, if the origin is configured. No cookie is used, so none is allowed.
fn allow_origin(app: &App, request: &HeaderMap, response: &mut HeaderMap) -> bool {
    response.append(VARY, HeaderValue::from_static("origin"));
    let Some(origin) = request.get(ORIGIN) else { return false };
    let allowed = &app.settings.feedback_origins;
    let is_allowed = allowed.iter().any(|known| known == "*" || known.as_bytes() == origin.as_bytes());
    if is_allowed {
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    }
    is_allowed
}
