//! The review queue: leases traces to reviewers, which avoids double reviews.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reflect_api::{
    ChangeLeases, DeferTrace, DeferredTrace, ErrorBody, HeldLeases, NextReviews, QueuedTraces, ReviewQueue,
};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::reviews::trace_id;
use crate::wire;

/// Get the state of the review queue.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/review-queue", tag = "reviews", params(("project_id" = String, Path)),
    responses((status = 200, description = "The state of the queue", body = ReviewQueue),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_review_queue(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<ReviewQueue>, ApiError> {
    let counts = app.engine.store.project(caller.visitor.project).queue().counts().await?;
    Ok(Json(wire::review_queue(counts)))
}

/// Get the next traces to review.
///
/// Each trace is leased to the caller for some time. Other reviewers do not get it, but they can still review it.
/// A trace without a review returns to the queue when its lease expires.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/review-queue/next", tag = "reviews", request_body = NextReviews,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The traces, and how many more are available", body = QueuedTraces),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn next_reviews(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<NextReviews>,
) -> Result<Json<QueuedTraces>, ApiError> {
    let answer = app.engine.queue.next(&caller.visitor, wire::next_runs(request.body)?).await?;
    Ok(Json(wire::queued_traces(answer)))
}

/// Renew or release leases.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/review-queue/leases", tag = "reviews", request_body = ChangeLeases,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The leases that the caller still holds", body = HeldLeases),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_leases(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ChangeLeases>,
) -> Result<Json<HeldLeases>, ApiError> {
    let leases = app.engine.queue.change_leases(&caller.visitor, wire::lease_change(request.body)).await?;
    Ok(Json(wire::held_leases(leases)))
}

/// Defer a trace. Until then the queue does not return it.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/{trace_id}/defer", tag = "reviews", request_body = DeferTrace,
    params(("project_id" = String, Path), ("trace_id" = String, Path)),
    responses((status = 200, description = "The deferral", body = DeferredTrace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = 409, description = "It has a review", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn defer_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<DeferTrace>,
) -> Result<Json<DeferredTrace>, ApiError> {
    let (trace_id, note) = (trace_id(&id)?, request.body.note.clone());
    let (until, by) =
        app.engine.queue.defer(&caller.visitor, trace_id, wire::defer_run(request.body)).await?;
    Ok(Json(DeferredTrace { trace_id, deferred_until: Some(until), deferred_by: Some(by), note }))
}

/// End the deferral of a trace.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/traces/{trace_id}/defer", tag = "reviews",
    params(("project_id" = String, Path), ("trace_id" = String, Path)),
    responses((status = 200, description = "The trace is not deferred", body = DeferredTrace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn resume_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<DeferredTrace>, ApiError> {
    let trace_id = trace_id(&id)?;
    app.engine.queue.resume(&caller.visitor, trace_id).await?;
    Ok(Json(wire::not_deferred(trace_id)))
}
