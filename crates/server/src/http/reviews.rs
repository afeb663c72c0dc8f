//! Reviews of traces that are stored already.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use reflect_api::{ErrorBody, ErrorDetail, ReviewItem, ReviewTrace, ReviewTraces, ReviewsAnswer, Trace};
use reflect_types::{ReviewId, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::{Post, Repeatable};
use crate::http::traces::LONGEST_WAIT;
use crate::wire;

/// Review a trace.
///
/// The answer comes when the lesson is a memory or could not be made, or after 50 seconds with the trace
/// as it then is; the review itself is stored at once either way. The same review again changes nothing;
/// another one needs `replace`, and then undoes what the first one did. With `grace_seconds` the answer comes at
/// once, and learning begins at the review's `learns_at`. Sent again under the same `Idempotency-Key` it changes nothing,
/// also when the review was taken back or replaced since; the answer is the trace as it is by then.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/{trace_id}/review", tag = "reviews", request_body = ReviewTrace,
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The trace as it is now", body = Trace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = 409, description = "It has another review", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn review_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<ReviewTrace>,
) -> Result<Json<Trace>, ApiError> {
    let (verdict, id, claim) = (wire::verdict(request.body), trace_id(&id)?, request.claim.as_ref());
    let trace = app.engine.review(&caller.visitor, id, verdict, &caller.actor, claim, LONGEST_WAIT).await?;
    Ok(Json(wire::trace(trace)?))
}

#[derive(Debug, Deserialize)]
pub(crate) struct WithdrawQuery {
    review_id: Option<ReviewId>,
}

/// Take a review back. What it moved moves back, and the memory it made is retired.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/traces/{trace_id}/review", tag = "reviews",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("review_id" = Option<String>, Query, description = "Only this review, not one that took its place"),
           ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The trace as it is now", body = Trace),
              (status = 409, description = "Another review took its place", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn withdraw_review(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<WithdrawQuery>, QueryRejection>,
    Repeatable(claim): Repeatable,
) -> Result<Json<Trace>, ApiError> {
    let (id, only) = (trace_id(&id)?, query?.0.review_id);
    let trace = app.engine.withdraw_review(&caller.visitor, id, only, &caller.actor, claim.as_ref()).await?;
    Ok(Json(wire::trace(trace)?))
}

/// Learn again from a trace whose `ingest_status` is `failed`.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/{trace_id}/retry", tag = "reviews",
    params(("project_id" = String, Path), ("trace_id" = String, Path)),
    responses((status = 202, description = "The trace, queued again", body = Trace),
              (status = 409, description = "It has not failed", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn retry_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<(StatusCode, Json<Trace>), ApiError> {
    let trace = app.engine.retry(&caller.visitor, trace_id(&id)?).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::trace(trace)?)))
}

/// Review many traces in one call; each is answered for itself, and none waits for its memory.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/reviews/batch", tag = "reviews", request_body = ReviewTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "One result for each review, in order", body = ReviewsAnswer),
              (status = "4XX", description = "Refused as a whole", body = ErrorBody)))]
pub(crate) async fn review_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReviewTraces>,
) -> Result<Json<ReviewsAnswer>, ApiError> {
    let verdicts = request.body.reviews.into_iter().map(wire::verdict_on_trace).collect();
    let outcomes =
        app.engine.review_batch(&caller.visitor, verdicts, &caller.actor, request.claim.as_ref()).await?;
    let request_id = caller.actor.request_id.unwrap_or_default();
    let results = outcomes.into_iter().map(|outcome| match outcome {
        Ok(trace) => wire::review_taken(trace),
        Err(error) => {
            let ApiError { code, message, .. } = error.into();
            ReviewItem::Refused {
                error: ErrorDetail { code: code.to_owned(), message, request_id: request_id.clone() },
            }
        }
    });
    Ok(Json(ReviewsAnswer { results: results.collect() }))
}

pub(crate) fn trace_id(text: &str) -> Result<TraceId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("trace"))
}
