//! Traces as rows of a table.

use reflect_api::TraceLine;
use reflect_store::TraceListFilter;

use crate::filter::TraceConditions;

const LONGEST_TASK: usize = 200;

/// Postgres stores no NUL character in text, so a text with one is ignored.
pub(crate) fn trace_filter(conditions: TraceConditions) -> TraceListFilter {
    let storable = |text: Option<String>| text.filter(|text| !text.contains('\0'));
    TraceListFilter {
        review_status: conditions.review_status,
        ingest: conditions.ingest_status,
        result: conditions.result,
        model: storable(conditions.model),
        text: storable(conditions.text),
        since: conditions.since,
        until: conditions.until,
        memory: conditions.memory_id,
    }
}

pub(crate) fn trace_line(line: reflect_engine::TraceListItem) -> TraceLine {
    let row = line.row;
    let first = row.task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    TraceLine {
        id: row.trace_id,
        created_at: row.created_at,
        task: first.chars().take(LONGEST_TASK).collect(),
        result: row.result,
        reviewer: row.reviewer,
        review_status: row.review_status,
        ingest_status: row.ingest,
        messages: row.messages,
        errors: line.errors,
        memories: i32::try_from(row.linked.len()).unwrap_or(i32::MAX),
        created_memory_id: row.memory_id,
        model: row.model,
        latency_ms: line.latency_ms,
        tokens: line.tokens,
    }
}
