//! Traces: recording runs and reading them back.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use reflect_api::{
    BatchAnswer, BatchItem, CreateTrace, CreateTraces, DeleteTraces, DeletedTraces, ErrorBody, ErrorDetail,
    Trace, TraceSubmission,
};
use reflect_types::{IngestStatus, ReviewStatus, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// Shorter than the minute after which most clients and proxies give up.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(50);
const MOST_DELETED: usize = 1000;

/// Record an agent run, optionally with its review.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces", tag = "traces", request_body = CreateTrace,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "Stored", body = TraceSubmission,
               headers(("X-Reflect-Redacted" = u64, description = "In how many places something was taken out"))),
              (status = 202, description = "Stored, and its review waits to be learned from", body = TraceSubmission),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_trace(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateTrace>,
) -> Result<Response, ApiError> {
    let run = wire::run(request.body);
    let submitted = app.engine.submit(&caller.visitor, run, request.claim.as_ref()).await?;
    let recorded = submitted.outcome.answer;
    let status = match recorded.ingest {
        IngestStatus::Queued => StatusCode::ACCEPTED,
        _ => StatusCode::CREATED,
    };
    Ok((status, redacted(submitted.redacted), Json(wire::submission(recorded))).into_response())
}

/// How much was taken out of what was sent before it was stored.
fn redacted(count: u64) -> [(&'static str, String); 1] {
    [("x-reflect-redacted", count.to_string())]
}

/// Record many agent runs in one call; each is answered for itself.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/batch", tag = "traces", request_body = CreateTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "One result for each trace, in order", body = BatchAnswer,
               headers(("X-Reflect-Redacted" = u64, description = "In how many places something was taken out"))),
              (status = "4XX", description = "Refused as a whole", body = ErrorBody)))]
pub(crate) async fn create_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateTraces>,
) -> Result<Response, ApiError> {
    let runs = request.body.traces.into_iter().map(wire::run).collect();
    let submitted = app.engine.submit_batch(&caller.visitor, runs, request.claim.as_ref()).await?;
    let request_id = caller.actor.request_id.unwrap_or_default();
    let results = submitted.outcome.into_iter().map(|outcome| match outcome {
        Ok(recorded) => BatchItem::Stored(wire::submission(recorded)),
        Err(error) => {
            let ApiError { code, message, .. } = error.into();
            let error = ErrorDetail { code: code.to_owned(), message, request_id: request_id.clone() };
            BatchItem::Refused { error }
        }
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

/// List runs, newest first.
///
/// The body is a bare array of at most 100 traces and about 16 MB. When there are more, the header
/// `X-Next-Cursor` holds what to send as `cursor`.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces", tag = "traces",
    params(("project_id" = String, Path), ("review_status" = Option<ReviewStatus>, Query),
           ("limit" = Option<u32>, Query, description = "1 to 100; 100 when absent"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<Trace>,
               headers(("X-Next-Cursor" = String, description = "There is more: send it as `cursor`"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(ListQuery { review_status, limit, cursor }) = query?;
    // Not flattened into the query: a flattened number of a query string reads as text.
    let asked = PageQuery { limit, cursor };
    let before = asked.cursor()?.map(TraceId::from_uuid);
    let project = app.engine.store().project(caller.visitor.project);
    let found = project.traces(review_status, before, asked.limit()?).await?;
    let traces = found.traces.into_iter().map(wire::trace).collect::<Result<Vec<_>, _>>()?;
    Ok(page(traces, found.next.map(TraceId::as_uuid)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct GetQuery {
    wait: Option<u64>,
    trajectory: Option<TrajectoryWanted>,
}

/// Whether a trajectory is answered with.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrajectoryWanted {
    /// To the letter.
    All,
    /// An empty list stands for it: it may be large, and its steps can be read one by one.
    None,
}

/// Read one run.
///
/// With `wait`, the answer comes when the trace is completed or failed, or after that many seconds
/// with the trace as it then is. A trace that is not there yet is waited for too.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("wait" = Option<u64>, Query, description = "Seconds to wait, at most 50"),
           ("trajectory" = inline(Option<TrajectoryWanted>), Query,
            description = "`none` leaves it out, an empty list stands for it; `all` when absent")),
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
        app.engine.wait_until_settled(project, id, longest).await?;
    }
    let project = app.engine.store().project(project);
    let trace = match trajectory.unwrap_or(TrajectoryWanted::All) {
        TrajectoryWanted::All => project.trace(id).await?,
        TrajectoryWanted::None => project.trace_without_body(id).await?,
    };
    Ok(Json(wire::trace(trace)?).into_response())
}

/// Delete runs. Ids that are not there are passed over.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/delete", tag = "traces", request_body = DeleteTraces,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "What was deleted", body = DeletedTraces),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<DeleteTraces>,
) -> Result<Json<DeletedTraces>, ApiError> {
    if request.body.trace_ids.len() > MOST_DELETED {
        return Err(ApiError::invalid(format!("trace_ids must not have more than {MOST_DELETED} entries")));
    }
    let ids: Vec<TraceId> = request.body.trace_ids.iter().filter_map(|id| id.parse().ok()).collect();
    let project = app.engine.store().project(caller.visitor.project);
    let trace_ids = project.delete_traces(&ids, &caller.actor, request.claim.as_ref()).await?;
    Ok(Json(DeletedTraces { deleted: trace_ids.len() as u64, trace_ids }))
}
