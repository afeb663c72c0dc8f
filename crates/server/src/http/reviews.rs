//! Reviews of stored traces.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use reflect_api::{ErrorBody, ReviewItem, ReviewTrace, ReviewTraces, ReviewsAnswer, Trace};
use reflect_types::{ReviewId, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::{Post, Repeatable};
use crate::http::route::LONGEST_WAIT;
use crate::wire;

/// Review a trace.
///
/// The review is stored at once. The response is sent when learning is complete or has failed, or after 50 seconds.
/// The same review again changes nothing. A different review needs `replace`, and then the effects of the first one are
/// undone. With `grace_seconds` the response is sent at once, and learning starts at the review's `learns_at`. A request
/// with the same `Idempotency-Key` changes nothing, also if the review was withdrawn or replaced since; it returns the
/// current trace.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/{trace_id}/review", tag = "reviews", request_body = ReviewTrace,
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The trace after the change", body = Trace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = 409, description = "It has a different review", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn review_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<ReviewTrace>,
) -> Result<Json<Trace>, ApiError> {
    let (verdict, id, claim) = (wire::verdict(request.body), trace_id(&id)?, request.claim.as_ref());
    let trace =
        app.engine.reviews.submit(&caller.visitor, id, verdict, &caller.actor, claim, LONGEST_WAIT).await?;
    Ok(Json(wire::trace(trace)?))
}

#[derive(Debug, Deserialize)]
pub(crate) struct WithdrawQuery {
    review_id: Option<ReviewId>,
}

/// Withdraw a review. Its effects are undone, and the memory that was learned from it is retired.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/traces/{trace_id}/review", tag = "reviews",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("review_id" = Option<String>, Query, description = "Withdraw only this review, not one that replaced it"),
           ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The trace after the change", body = Trace),
              (status = 409, description = "Another review replaced it", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn withdraw_review(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<WithdrawQuery>, QueryRejection>,
    Repeatable(claim): Repeatable,
) -> Result<Json<Trace>, ApiError> {
    let (id, only) = (trace_id(&id)?, query?.0.review_id);
    let trace = app.engine.reviews.withdraw(&caller.visitor, id, only, &caller.actor, claim.as_ref()).await?;
    Ok(Json(wire::trace(trace)?))
}

/// Retry learning from a trace whose `ingest_status` is `failed`.
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
    let trace = app.engine.reviews.retry_learning(&caller.visitor, trace_id(&id)?).await?;
    Ok((StatusCode::ACCEPTED, Json(wire::trace(trace)?)))
}

/// Review many traces. Each has its own result, and the request does not wait for learning.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/reviews/batch", tag = "reviews", request_body = ReviewTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "One result for each review, in order", body = ReviewsAnswer),
              (status = "4XX", description = "All refused", body = ErrorBody)))]
pub(crate) async fn review_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReviewTraces>,
) -> Result<Json<ReviewsAnswer>, ApiError> {
    let verdicts = request.body.reviews.into_iter().map(wire::verdict_on_trace).collect();
    let outcomes = app
        .engine
        .reviews
        .submit_batch(&caller.visitor, verdicts, &caller.actor, request.claim.as_ref())
        .await?;
    let request_id = caller.actor.origin.request_id.unwrap_or_default();
    let results = outcomes.into_iter().map(|outcome| match outcome {
        Ok(trace) => wire::accepted_review(trace),
        Err(error) => ReviewItem::Refused { error: ApiError::from(error).into_detail(request_id.clone()) },
    });
    Ok(Json(ReviewsAnswer { results: results.collect() }))
}

pub(crate) fn trace_id(text: &str) -> Result<TraceId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("trace"))
}
