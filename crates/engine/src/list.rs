//! Listing runs as rows of a table, with what has to be found out by reading them.

use reflect_store::{StoreError, TraceFilter, TraceLineRow};
use reflect_types::{ProjectId, TraceId};
use serde_json::Value;

use crate::Engine;
use crate::steps::{count_errors, total_tokens};

/// A run as a row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceLine {
    /// What is stored of it.
    pub row: TraceLineRow,
    /// How many of its steps went wrong, when it could be read.
    pub errors: Option<u32>,
    /// How long it took, when its metadata says so.
    pub latency_ms: Option<f64>,
    /// How many tokens it took, when its metadata says so.
    pub tokens: Option<u64>,
}

impl Engine {
    /// The newest runs before a cursor that fit, and where to go on. With `has_error`, of those only the ones in
    /// which something went wrong, or nothing did; that is found by reading them, so a page may be short.
    pub async fn list_traces(
        &self,
        project: ProjectId,
        filter: &TraceFilter,
        has_error: Option<bool>,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<(Vec<TraceLine>, Option<TraceId>), StoreError> {
        let page = self.store.project(project).trace_lines(filter, before, limit).await?;
        let rows = page.lines;
        // Reading a page of runs takes as long as it takes.
        let read = tokio::task::spawn_blocking(move || rows.into_iter().map(line).collect::<Vec<_>>()).await;
        let mut lines = read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()));
        if let Some(wanted) = has_error {
            lines.retain(|line| line.errors.is_some_and(|errors| (errors > 0) == wanted));
        }
        Ok((lines, page.next))
    }
}

fn line(mut row: TraceLineRow) -> TraceLine {
    let errors = row.trajectory.take().map(|trajectory| count_errors(&trajectory));
    TraceLine {
        errors: errors.map(|errors| u32::try_from(errors).unwrap_or(u32::MAX)),
        latency_ms: latency(&row.metadata),
        tokens: tokens(&row.metadata),
        row,
    }
}

/// Pure: how long a run took, by the names that clients give it.
fn latency(metadata: &Value) -> Option<f64> {
    ["latency_ms", "duration_ms", "elapsed_ms"].iter().find_map(|name| metadata.get(*name)?.as_f64())
}

/// Pure: how many tokens a run took, by the names that clients give them.
fn tokens(metadata: &Value) -> Option<u64> {
    let named = ["tokens", "total_tokens"].iter().find_map(|name| metadata.get(*name)?.as_u64());
    named.or_else(|| total_tokens(metadata.get("usage")?.as_object()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_run_took_is_read_from_its_metadata() {
        assert_eq!(latency(&json!({ "latency_ms": 12.5 })), Some(12.5));
        assert_eq!(latency(&json!({ "latency_ms": "fast" })), None);
        assert_eq!(tokens(&json!({ "tokens": 7 })), Some(7));
        assert_eq!(tokens(&json!({ "usage": { "prompt_tokens": 5, "completion_tokens": 2 } })), Some(7));
        assert_eq!(tokens(&json!({ "usage": 3 })), None);
    }
}
