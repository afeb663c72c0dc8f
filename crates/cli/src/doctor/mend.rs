//! What the doctor may do itself, after asking: only what can be done twice without harm.

use reflect_sdk::{ReflectClient, TraceFilter};
use reflect_types::IngestStatus;

use super::report::Report;
use crate::output::Output;

/// Lessons that are tried again in one go.
const MOST: usize = 1000;

/// Tries lessons again that were given up. False when there were none.
pub(super) async fn retry_lessons(
    client: &ReflectClient,
    report: &Report,
    output: &Output,
) -> anyhow::Result<bool> {
    if !report.is_broken("reflection_failing") && !report.is_broken("reflection") {
        return Ok(false);
    }
    let filter = TraceFilter { ingest_status: Some(IngestStatus::Failed), ..TraceFilter::default() };
    let mut rows = client.iter_rows(filter);
    let mut failed = Vec::new();
    while failed.len() < MOST
        && let Some(row) = rows.next().await
    {
        failed.push(row?);
    }
    if failed.is_empty() {
        return Ok(false);
    }
    output.confirm(&format!("Try {} lessons again that were given up?", failed.len()))?;
    let mut queued = 0;
    for trace in &failed {
        match client.retry_trace(trace.id).await {
            Ok(_) => queued += 1,
            // Somebody was faster.
            Err(error) if error.status() == Some(409) => {}
            Err(error) => return Err(error.into()),
        }
    }
    output.say(&format!("{queued} lessons are tried again."));
    Ok(true)
}
