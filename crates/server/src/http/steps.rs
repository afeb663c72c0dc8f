//! Runs for people to read: as rows of a table, and step by step.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use reflect_api::{ErrorBody, PartText, TraceLine, TraceSteps};
use reflect_engine::steps::{INLINE, Step, slice};
use reflect_store::TraceFilter;
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// As many steps as are given when nobody says how many.
const USUAL_STEPS: usize = 200;
/// About as much text as one answer holds.
const MOST_TEXT: usize = 4 * 1024 * 1024;
/// As much of a part as one answer holds.
const MOST_OF_PART: usize = 1024 * 1024;
const LONGEST_WORDS: usize = 1000;

#[derive(Debug, Deserialize)]
pub(crate) struct RowsQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    review_status: Option<ReviewStatus>,
    ingest_status: Option<IngestStatus>,
    result: Option<ReviewResult>,
    model: Option<String>,
    text: Option<String>,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    memory_id: Option<MemoryId>,
    has_error: Option<bool>,
}

/// List runs as rows of a table, newest first.
///
/// One call looks at 5,000 runs at most, so a page of a filter that fits few may be short or empty and still have the
/// header `X-Next-Cursor`: send it as `cursor` to look further.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/rows", tag = "traces",
    params(("project_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100; 100 when absent"),
           ("cursor" = Option<String>, Query),
           ("review_status" = Option<ReviewStatus>, Query),
           ("ingest_status" = Option<IngestStatus>, Query),
           ("result" = Option<ReviewResult>, Query),
           ("model" = Option<String>, Query, description = "Its name; with a * at the end, how it begins"),
           ("text" = Option<String>, Query, description = "Words of the task or the answer"),
           ("since" = Option<String>, Query, description = "RFC 3339"),
           ("until" = Option<String>, Query, description = "RFC 3339"),
           ("memory_id" = Option<String>, Query, description = "Runs that had this memory"),
           ("has_error" = Option<bool>, Query, description = "Runs in which a step went wrong, or none did")),
    responses((status = 200, description = "Newest first", body = Vec<TraceLine>,
               headers(("X-Next-Cursor" = String, description = "There may be more: send it as `cursor`"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_rows(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<RowsQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(asked) = query?;
    let paging = PageQuery { limit: asked.limit, cursor: asked.cursor };
    let before = paging.cursor()?.map(TraceId::from_uuid);
    for (name, words) in [("model", &asked.model), ("text", &asked.text)] {
        if words.as_ref().is_some_and(|words| words.len() > LONGEST_WORDS) {
            return Err(ApiError::invalid(format!("{name} must not be longer than {LONGEST_WORDS} bytes")));
        }
    }
    let said = |words: Option<String>| words.filter(|words| !words.is_empty() && !words.contains('\0'));
    let filter = TraceFilter {
        review_status: asked.review_status,
        ingest: asked.ingest_status,
        result: asked.result,
        model: said(asked.model),
        text: said(asked.text),
        since: asked.since,
        until: asked.until,
        memory: asked.memory_id,
    };
    let project = caller.visitor.project;
    let (lines, next) =
        app.engine.list_traces(project, &filter, asked.has_error, before, paging.limit()?).await?;
    Ok(page(lines.into_iter().map(wire::trace_line).collect(), next.map(TraceId::as_uuid)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct RangeQuery {
    from: Option<usize>,
    to: Option<usize>,
}

/// Read a run step by step, whatever form its messages have.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}/steps", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("from" = Option<usize>, Query, description = "The first step; 0 when absent"),
           ("to" = Option<usize>, Query, description = "The first one not wanted any more; 200 after the first when absent")),
    responses((status = 200, description = "Its steps", body = TraceSteps),
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
    let all = app.engine.steps(caller.visitor.project, trace_id).await?;
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
        kinds: all.iter().map(|step| wire::step_kind(step.kind)).collect(),
        failed: all.iter().enumerate().filter(|(_, step)| step.failed).map(|(index, _)| index).collect(),
        from,
        to,
        steps,
    }))
}

/// How many of these steps one answer holds. At least one, so that reading always moves on.
fn fitting(steps: &[Step]) -> usize {
    let mut bytes = 0;
    let within = steps.iter().take_while(|step| {
        bytes += step.parts.iter().map(|part| part.text.len().min(INLINE)).sum::<usize>();
        bytes <= MOST_TEXT
    });
    within.count().max(1).min(steps.len())
}

/// Read a stretch of one part of a run.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}/parts/{part}", tag = "traces",
    params(("project_id" = String, Path), ("trace_id" = String, Path),
           ("part" = usize, Path, description = "Its number within the run"),
           ("from" = Option<usize>, Query, description = "In bytes; 0 when absent"),
           ("to" = Option<usize>, Query, description = "In bytes; at most 1 MB after the first")),
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
    let steps = app.engine.steps(caller.visitor.project, id).await?;
    let n: usize = part.parse().map_err(|_| ApiError::not_found("part"))?;
    let found =
        steps.iter().flat_map(|step| &step.parts).nth(n).ok_or_else(|| ApiError::not_found("part"))?;
    let from = from.unwrap_or(0);
    let most = from.saturating_add(MOST_OF_PART);
    let (text, from) = slice(&found.text, from, to.unwrap_or(most).min(most));
    let (to, size) = (from + text.len(), found.text.len());
    Ok(Json(PartText { n, size, from, to, text: text.to_owned() }))
}
