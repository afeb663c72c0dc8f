//! `reflect review ID`: reviews, defers or undoes one run, without the queue. A verdict waits until its lesson is written.

use reflect_api::{DeferTrace, ReviewTrace, Trace};
use reflect_sdk::ReflectClient;
use reflect_types::{ReviewResult, TraceId};
use serde_json::json;

use super::summary::past_tense;
use crate::output::Output;

/// What to do with the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SingleAction {
    Review { result: ReviewResult, feedback: Option<String>, replace: bool },
    Defer { seconds: u64, note: Option<String> },
    Undo,
}

/// Performs the action.
pub(crate) async fn review_one(
    client: &ReflectClient,
    trace_id: TraceId,
    action: SingleAction,
    reviewer: Option<String>,
    output: &Output,
) -> anyhow::Result<()> {
    match action {
        SingleAction::Review { result, feedback, replace } => {
            let review = ReviewTrace {
                result,
                feedback_text: feedback,
                alpha: None,
                reflection: None,
                replace,
                grace_seconds: None,
                reviewer,
            };
            let trace = client.reviews.send(trace_id, &review).await?;
            show(&trace, past_tense(result), output)
        }
        SingleAction::Defer { seconds, note } => {
            let request = DeferTrace { seconds: Some(seconds), until: None, note, reviewer };
            let deferred = client.queue.defer(trace_id, &request).await?;
            output.item("review.defer/1", &deferred, || {
                let until = deferred
                    .deferred_until
                    .map(|until| until.format(" until %Y-%m-%d %H:%M UTC").to_string());
                format!("Deferred{}.", until.unwrap_or_default())
            })
        }
        SingleAction::Undo if client.traces.get(trace_id).await?.review.is_some() => {
            let trace = client.reviews.withdraw(trace_id).await?;
            show(&trace, "without a review again", output)
        }
        // A run without a review may be deferred.
        SingleAction::Undo => {
            let resumed = client.queue.resume(trace_id).await?;
            output
                .item("review.defer/1", &resumed, || format!("{trace_id} has no review and is not deferred."))
        }
    }
}

fn show(trace: &Trace, what: &str, output: &Output) -> anyhow::Result<()> {
    let item = json!({
        "trace_id": trace.id,
        "result": trace.review.as_ref().map(|review| review.result),
        "review_id": trace.review.as_ref().map(|review| review.id),
        "ingest_status": trace.ingest_status,
        "created_memory_id": trace.created_memory_id,
    });
    output.item("review/1", &item, || {
        let memory = trace.created_memory_id.map(|id| format!(" Its lesson is memory {id}."));
        format!("{} is {what}.{}", trace.id, memory.unwrap_or_default())
    })
}
