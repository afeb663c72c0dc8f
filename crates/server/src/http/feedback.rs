//! Votes of the users of a chat: a feedback token instead of a key, from the pages of the configured origins.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use reflect_api::{ErrorBody, SendFeedback};

use crate::app::App;
use crate::error::ApiError;
use crate::http::json::Post;
use crate::wire;

const PATH: &str = "/v1/feedback";
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
    request: Post<SendFeedback>,
) -> Result<StatusCode, ApiError> {
    let (token, vote) = wire::feedback(request.body);
    let opened = app.engine.signals.open_token(&token).await?;
    app.feedback.check_token(opened.digest()).await?;
    app.engine.signals.vote(opened, vote).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answers the preflight request of a browser. [`allow_origins`] adds what it may do.
pub(crate) async fn preflight() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// Lets pages of configured origins read all responses about feedback, also refusals of the layers below. No cookie is used, so
/// none is allowed.
pub(crate) async fn allow_origins(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if request.uri().path() != PATH {
        return next.run(request).await;
    }
    let is_preflight = request.method() == Method::OPTIONS;
    let origin = request.headers().get(ORIGIN).cloned();
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("origin"));
    let allowed = &app.settings.feedback_origins;
    let is_allowed = |origin: &HeaderValue| {
        allowed.iter().any(|known| known == "*" || known.as_bytes() == origin.as_bytes())
    };
    let Some(origin) = origin.filter(is_allowed) else { return response };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if is_preflight {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE));
    }
    response
}
