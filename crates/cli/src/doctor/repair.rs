//! Fixes that `reflect doctor --fix` applies after confirmation. All of them can be repeated without harm.

use reflect_sdk::{ReflectClient, TraceFilter};
use reflect_types::IngestStatus;

use super::report::Report;
use crate::output::{Output, counted};

/// The maximum number of lessons to retry.
const MAX_LESSONS: usize = 1000;

/// Retries failed lessons. Returns false if there are none.
pub(super) async fn retry_lessons(
    client: &ReflectClient,
    report: &Report,
    output: &Output,
) -> anyhow::Result<bool> {
    if !report.is_broken("reflection_failing") && !report.is_broken("reflection") {
        return Ok(false);
    }
    let filter = TraceFilter { ingest_status: Some(IngestStatus::Failed), ..TraceFilter::default() };
    let mut rows = client.traces.iter_rows(filter);
    let mut failed = Vec::new();
    while failed.len() < MAX_LESSONS
        && let Some(row) = rows.next().await
    {
        failed.push(row?);
    }
    if failed.is_empty() {
        return Ok(false);
    }
    output.prompt.confirm(&format!("Retry {}?", counted(failed.len(), "failed lesson")))?;
    let mut queued = 0;
    for trace in &failed {
        match client.traces.retry(trace.id).await {
            Ok(_) => queued += 1,
            // Another process has retried it.
            Err(error) if error.status() == Some(409) => {}
            Err(error) => return Err(error.into()),
        }
    }
    output.say(&format!("Queued {} again.", counted(queued, "lesson")));
    Ok(true)
}
