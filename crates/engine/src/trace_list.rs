//! Lists of traces, with values that are read from trajectories and metadata.

use reflect_store::{Store, StoreError, TraceListFilter, TraceListRow};
use reflect_trajectory::{TrajectoryStep, count_errors, total_tokens};
use reflect_types::{ProjectId, TraceId};
use serde_json::Value;

use crate::steps::read_steps;

/// A trace in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceListItem {
    /// The stored trace.
    pub row: TraceListRow,
    /// How many of its steps failed; `None` if it could not be read.
    pub errors: Option<u32>,
    /// The latency from its metadata.
    pub latency_ms: Option<f64>,
    /// The number of tokens from its metadata.
    pub tokens: Option<u64>,
}

/// Reads traces for people.
#[derive(Debug, Clone)]
pub struct Traces {
    store: Store,
}

impl Traces {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// The steps of a trace.
    pub async fn steps(&self, project: ProjectId, trace: TraceId) -> Result<Vec<TrajectoryStep>, StoreError> {
        let trajectory = self.store.project(project).traces().get(trace).await?.trajectory;
        Ok(read_steps(trajectory).await)
    }

    /// The newest matching traces before a cursor, and the next cursor. `has_error` keeps traces with or without a
    /// failed step; that needs their trajectories, so a page may be shorter than the limit.
    pub async fn list(
        &self,
        project: ProjectId,
        filter: &TraceListFilter,
        has_error: Option<bool>,
        before: Option<TraceId>,
        limit: u32,
    ) -> Result<(Vec<TraceListItem>, Option<TraceId>), StoreError> {
        let page = self.store.project(project).traces().search(filter, before, limit).await?;
        let rows = page.rows;
        // Reading a page of trajectories may take long.
        let read =
            tokio::task::spawn_blocking(move || rows.into_iter().map(list_item).collect::<Vec<_>>()).await;
        let mut items = read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()));
        if let Some(wanted) = has_error {
            items.retain(|item| item.errors.is_some_and(|errors| (errors > 0) == wanted));
        }
        Ok((items, page.next))
    }
}

fn list_item(mut row: TraceListRow) -> TraceListItem {
    let errors = row.trajectory.take().map(|trajectory| count_errors(&trajectory));
    TraceListItem {
        errors: errors.map(|errors| u32::try_from(errors).unwrap_or(u32::MAX)),
        latency_ms: latency(&row.metadata),
        tokens: tokens(&row.metadata),
        row,
    }
}

/// The latency of a run, under the names that clients use.
fn latency(metadata: &Value) -> Option<f64> {
    ["latency_ms", "duration_ms", "elapsed_ms"].iter().find_map(|name| metadata.get(*name)?.as_f64())
}

/// The number of tokens of a run, under the names that clients use.
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
