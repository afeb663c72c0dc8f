//! Traces: recording, reading and deleting them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use reflect_api::{
    BatchAnswer, BatchItem, CreateTrace, CreateTraces, DeleteTraces, DeletedTraces, ErrorBody, Trace,
    TraceSubmission,
};
use reflect_types::{IngestStatus, ReviewStatus, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::paging::{PageQuery, page};
use crate::http::route::LONGEST_WAIT;
use crate::wire;

const MOST_DELETED: usize = 1000;

/// Record a trace, optionally with its review.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces", tag = "traces", request_body = CreateTrace,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "Stored", body = TraceSubmission,
               headers(("X-Reflect-Redacted" = u64, description = "The number of redactions"))),
              (status = 202, description = "Stored, and the review is queued for learning", body = TraceSubmission),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateTrace>,
) -> Result<Response, ApiError> {
    let run = wire::run(request.body);
    let submitted = app.engine.intake.submit(&caller.visitor, run, request.claim.as_ref()).await?;
    let recorded = submitted.outcome.answer;
    let status = match recorded.ingest {
        IngestStatus::Queued => StatusCode::ACCEPTED,
        _ => StatusCode::CREATED,
    };
    Ok((status, redacted(submitted.redacted), Json(wire::submission(recorded))).into_response())
}

/// The number of redactions before the trace was stored.
fn redacted(count: u64) -> [(&'static str, String); 1] {
    [("x-reflect-redacted", count.to_string())]
}

/// Record many traces. Each has its own result.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/batch", tag = "traces", request_body = CreateTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "One result for each trace, in order", body = BatchAnswer,
               headers(("X-Reflect-Redacted" = u64, description = "The number of redactions"))),
              (status = "4XX", description = "All refused", body = ErrorBody)))]
pub(crate) async fn create_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateTraces>,
) -> Result<Response, ApiError> {
    let runs = request.body.traces.into_iter().map(wire::run).collect();
    let submitted = app.engine.intake.submit_batch(&caller.visitor, runs, request.claim.as_ref()).await?;
    let request_id = caller.actor.origin.request_id.unwrap_or_default();
    let results = submitted.outcome.into_iter().map(|outcome| match outcome {
        Ok(recorded) => BatchItem::Stored(wire::submission(recorded)),
        Err(error) => BatchItem::Refused { error: ApiError::from(error).into_detail(request_id.clone()) },
    });
    let answer = BatchAnswer { results: results.collect() };
    Ok((redacted(submitted.redacted), Json(answer)).into_response())
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    review_status: Option<ReviewStatus>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// List traces, newest first.
///
/// The body is an array of at most 100 traces and about 16 MB. If there are more, send the header `X-Next-Cursor`
/// as `cursor`.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces", tag = "traces",
    params(("project_id" = String, Path), ("review_status" = Option<ReviewStatus>, Query),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<Trace>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(ListQuery { review_status, limit, cursor }) = query?;
    // Not flattened into the query: serde reads a flattened number of a query string as text.
    let paging = PageQuery { limit, cursor };
    let before = paging.cursor()?.map(TraceId::from_uuid);
    let project = app.engine.store.project(caller.visitor.project);
    let found = project.traces().list(review_status, before, paging.limit()?).await?;
    let traces = found.traces.into_iter().map(wire::trace).collect::<Result<Vec<_>, _>>()?;
    Ok(page(traces, found.next.map(TraceId::as_uuid)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct GetQuery {
    wait: Option<u64>,
    trajectory: Option<TrajectoryWanted>,
}

/// Whether to return the trajectory.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrajectoryWanted {
    /// The unchanged trajectory.
    All,
    /// An empty list. The trajectory may be large, and its steps can be read separately.
    None,
}

/// Get a trace.
///
/// With `wait`, the response is sent when learning is complete or has failed, or after this many seconds. It also waits
/// for a trace that does not exist yet.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("wait" = Option<u64>, Query, description = "Seconds to wait, at most 50"),
           ("trajectory" = inline(Option<TrajectoryWanted>), Query,
            description = "`none` returns an empty list instead. Default: `all`")),
    responses((status = 200, description = "The trace", body = Trace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<GetQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let id: TraceId = id.parse().map_err(|_| ApiError::not_found("trace"))?;
    let project = caller.visitor.project;
    let Query(GetQuery { wait, trajectory }) = query?;
    if let Some(seconds) = wait {
        let longest = Duration::from_secs(seconds).min(LONGEST_WAIT);
        app.engine.completion.wait_until_complete(project, id, longest).await?;
    }
    let project = app.engine.store.project(project);
    let trace = match trajectory.unwrap_or(TrajectoryWanted::All) {
        TrajectoryWanted::All => project.traces().get(id).await?,
        TrajectoryWanted::None => project.traces().get_without_body(id).await?,
    };
    Ok(Json(wire::trace(trace)?).into_response())
}

/// Delete traces. Unknown ids are ignored.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/delete", tag = "traces", request_body = DeleteTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "The deleted traces", body = DeletedTraces),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<DeleteTraces>,
) -> Result<Json<DeletedTraces>, ApiError> {
    if request.body.trace_ids.len() > MOST_DELETED {
        return Err(ApiError::invalid(format!(
            "trace_ids has more than {MOST_DELETED} entries; send several requests"
        )));
    }
    let ids: Vec<TraceId> = request.body.trace_ids.iter().filter_map(|id| id.parse().ok()).collect();
    let project = app.engine.store.project(caller.visitor.project);
    let trace_ids = project.traces().delete(&ids, &caller.actor, request.claim.as_ref()).await?;
    Ok(Json(DeletedTraces { deleted: trace_ids.len() as u64, trace_ids }))
}
