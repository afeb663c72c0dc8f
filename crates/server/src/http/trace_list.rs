//! Traces as rows of a table.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use reflect_api::{ErrorBody, TraceLine};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::filter::{TraceConditions, with_trace_filter};
use crate::http::caller::Caller;
use crate::http::paging::{PageQuery, page};
use crate::wire;

const LONGEST_TEXT: usize = 1000;

#[derive(Debug, Deserialize)]
pub(crate) struct RowsQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    review_status: Option<ReviewStatus>,
    ingest_status: Option<IngestStatus>,
    result: Option<ReviewResult>,
    model: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "reflect_api::bounded_time")]
    since: Option<DateTime<Utc>>,
    #[serde(default, deserialize_with = "reflect_api::bounded_time")]
    until: Option<DateTime<Utc>>,
    memory_id: Option<MemoryId>,
    has_error: Option<bool>,
    q: Option<String>,
}

/// List traces as rows of a table, newest first.
///
/// One request reads at most 5,000 traces. A page can therefore be short or empty and still have the header
/// `X-Next-Cursor`: send it as `cursor` to continue.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/rows", tag = "traces",
    params(("project_id" = String, Path),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query),
           ("review_status" = Option<ReviewStatus>, Query),
           ("ingest_status" = Option<IngestStatus>, Query),
           ("result" = Option<ReviewResult>, Query),
           ("model" = Option<String>, Query, description = "The model's name. A * at the end matches any rest"),
           ("text" = Option<String>, Query, description = "Part of the task or the answer"),
           ("since" = Option<String>, Query, description = "RFC 3339"),
           ("until" = Option<String>, Query, description = "RFC 3339"),
           ("memory_id" = Option<String>, Query, description = "Traces with this memory"),
           ("has_error" = Option<bool>, Query, description = "Traces in which a step failed, or no step failed"),
           ("q" = Option<String>, Query,
            description = "A filter such as `status:pending since:7d refund`, at most 1000 characters. It can be combined \
                           with the other parameters; all of them must match.")),
    responses((status = 200, description = "Newest first", body = Vec<TraceLine>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there may be one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_rows(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<RowsQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query?;
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let before = paging.cursor()?.map(TraceId::from_uuid);
    let outside = TraceConditions {
        review_status: query.review_status,
        ingest_status: query.ingest_status,
        result: query.result,
        model: short_text("model", query.model)?,
        text: short_text("text", query.text)?,
        since: query.since,
        until: query.until,
        memory_id: query.memory_id,
        has_error: query.has_error,
    };
    let conditions = with_trace_filter(outside, query.q.as_deref(), SystemTime::now().into())?;
    let has_error = conditions.has_error;
    let filter = wire::trace_filter(conditions);
    let project = caller.visitor.project;
    let (lines, next) = app.engine.traces.list(project, &filter, has_error, before, paging.limit()?).await?;
    Ok(page(lines.into_iter().map(wire::trace_line).collect(), next.map(TraceId::as_uuid)))
}

/// A text to search for. An empty one is ignored.
fn short_text(name: &str, text: Option<String>) -> Result<Option<String>, ApiError> {
    let text = text.filter(|text| !text.is_empty());
    match text {
        Some(text) if text.len() > LONGEST_TEXT => {
            let message = format!("{name} has {} bytes; at most {LONGEST_TEXT} are allowed", text.len());
            Err(ApiError::invalid(message))
        }
        text => Ok(text),
    }
}
