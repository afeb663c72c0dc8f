//! Traces step by step.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use reflect_api::{ErrorBody, PartText, TraceSteps};
use reflect_engine::steps::{INLINE, TrajectoryStep, slice};
use reflect_types::TraceId;
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::wire;

/// The default number of steps.
const USUAL_STEPS: usize = 200;
/// The largest size of the texts in one response, approximately.
const MOST_TEXT: usize = 4 * 1024 * 1024;
/// The largest size of a part in one response.
const MOST_OF_PART: usize = 1024 * 1024;

#[derive(Debug, Deserialize)]
pub(crate) struct RangeQuery {
    from: Option<usize>,
    to: Option<usize>,
}

/// Get the steps of a trace. The form of its messages does not matter.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}/steps", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("from" = Option<usize>, Query, description = "The first step. Default: 0"),
           ("to" = Option<usize>, Query, description = "The step after the last one. Default: 200 after the first")),
    responses((status = 200, description = "The steps", body = TraceSteps),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_steps(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<RangeQuery>, QueryRejection>,
) -> Result<Json<TraceSteps>, ApiError> {
    let trace_id: TraceId = id.parse().map_err(|_| ApiError::not_found("trace"))?;
    let Query(RangeQuery { from, to }) = query?;
    let all = app.engine.traces.steps(caller.visitor.project, trace_id).await?;
    let from = from.unwrap_or(0).min(all.len());
    let wanted = to.unwrap_or(from.saturating_add(USUAL_STEPS)).clamp(from, all.len());
    let to = from + fitting(&all[from..wanted]);
    let mut part = all[..from].iter().map(|step| step.parts.len()).sum();
    let mut steps = Vec::with_capacity(to - from);
    for (index, step) in all[from..to].iter().enumerate() {
        steps.push(wire::step(from + index, step, part));
        part += step.parts.len();
    }
    Ok(Json(TraceSteps {
        trace_id,
        total: all.len(),
        kinds: all.iter().map(|step| step.kind).collect(),
        failed: all.iter().enumerate().filter(|(_, step)| step.failed).map(|(index, _)| index).collect(),
        from,
        to,
        steps,
    }))
}

/// How many of these steps fit into one response. At least one, to let the client make progress.
fn fitting(steps: &[TrajectoryStep]) -> usize {
    let mut bytes = 0;
    let within = steps.iter().take_while(|step| {
        bytes += step.parts.iter().map(|part| part.text.len().min(INLINE)).sum::<usize>();
        bytes <= MOST_TEXT
    });
    within.count().max(1).min(steps.len())
}

/// Get a range of one part of a trace.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}/parts/{part}", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("part" = usize, Path, description = "The part's number within the trace"),
           ("from" = Option<usize>, Query, description = "The first byte. Default: 0"),
           ("to" = Option<usize>, Query, description = "The byte after the last one, at most 1 MB after the first")),
    responses((status = 200, description = "The text", body = PartText),
              (status = 404, description = "No such part", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_part(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id, part)): Path<(String, String, String)>,
    query: Result<Query<RangeQuery>, QueryRejection>,
) -> Result<Json<PartText>, ApiError> {
    let id: TraceId = id.parse().map_err(|_| ApiError::not_found("trace"))?;
    let Query(RangeQuery { from, to }) = query?;
    let steps = app.engine.traces.steps(caller.visitor.project, id).await?;
    let n: usize = part.parse().map_err(|_| ApiError::not_found("part"))?;
    let found =
        steps.iter().flat_map(|step| &step.parts).nth(n).ok_or_else(|| ApiError::not_found("part"))?;
    let from = from.unwrap_or(0);
    let most = from.saturating_add(MOST_OF_PART);
    let (text, from) = slice(&found.text, from, to.unwrap_or(most).min(most));
    let (to, size) = (from + text.len(), found.text.len());
    Ok(Json(PartText { n, size, from, to, text: text.to_owned() }))
}
