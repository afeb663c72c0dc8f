//! The event `review.needed`: one for all runs that began to wait for a review, and then none for some time.
//!
//! A burst of runs would otherwise be a burst of messages to people.

use std::time::Duration;

use reflect_store::{NewEvent, ProjectCtx, QueueCounts, QueueFilter, Reach, StoreError};
use reflect_types::{TraceId, WebhookEventType};
use serde_json::json;
use uuid::Uuid;

/// The shortest time between two announcements in one project.
const REST: Duration = Duration::from_secs(10 * 60);
/// How many runs an event names.
const NAMED: u16 = 5;
/// Takes no leases, so any name does.
const HOLDER: &str = "webhooks";

/// Announces the runs that began to wait, if any of them still waits. `began` of them are known to the caller.
pub(super) async fn announce(project: &ProjectCtx, worker: Uuid, began: i32) -> Result<(), StoreError> {
    // Read after `began`: every run that it counts is visible here, unless it was reviewed since.
    let counts = project.queue().counts().await?;
    let announcements = project.admin().webhooks().announcements();
    if began <= 0 || counts.pending == 0 {
        return announcements.end_waiting(worker, began, None, Duration::ZERO).await;
    }
    let newest = Reach { newest: NAMED, ..Reach::default() };
    let newest = project.queue().waiting(HOLDER, &QueueFilter::default(), newest, &[], false).await?;
    let runs: Vec<TraceId> = newest.runs.iter().map(|run| run.trace_id).collect();
    announcements.end_waiting(worker, began, Some(event(began, &counts, &runs)), REST).await
}

fn event(began: i32, counts: &QueueCounts, newest: &[TraceId]) -> NewEvent {
    let data = json!({
        "new_runs": began,
        "waiting": counts.pending,
        // The queue counts up to a limit.
        "waiting_is_more": counts.pending >= Reach::MOST,
        "oldest_waiting_seconds": counts.oldest_pending.map(|seconds| seconds.max(0.0).round()),
        "trace_ids": newest,
    });
    NewEvent { event_type: WebhookEventType::ReviewNeeded, subject: "review-queue".to_owned(), data }
}
