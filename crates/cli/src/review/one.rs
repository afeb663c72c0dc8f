//! `reflect review ID`: one verdict, without a queue. It waits for what is learned from it, as the clients do.

use reflect_api::{DeferTrace, ReviewTrace, Trace};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::{ReviewResult, TraceId};
use serde_json::json;

use super::summary::past;
use crate::output::Output;

/// What is said about the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    Review { result: ReviewResult, feedback: Option<String>, replace: bool },
    Defer { seconds: u64, note: Option<String> },
    Undo,
}

/// Says it.
pub(crate) async fn one(
    client: &ReflectClient,
    trace_id: TraceId,
    word: Word,
    reviewer: Option<String>,
    output: &Output,
) -> anyhow::Result<()> {
    match word {
        Word::Review { result, feedback, replace } => {
            let review = ReviewTrace {
                result,
                feedback_text: feedback,
                alpha: None,
                reflection: None,
                replace,
                grace_seconds: None,
                reviewer,
            };
            let trace = client.send_review(trace_id, &review).await?;
            show(&trace, past(result), output)
        }
        Word::Defer { seconds, note } => {
            let wish = DeferTrace { seconds: Some(seconds), until: None, note, reviewer };
            let deferred = client.defer_trace(trace_id, &wish).await?;
            output.item("review.defer/1", &deferred, || {
                let until = deferred
                    .deferred_until
                    .map(|until| until.format(" until %Y-%m-%d %H:%M UTC").to_string());
                format!("Deferred{}.", until.unwrap_or_default())
            })
        }
        Word::Undo => match client.withdraw_review(trace_id).await {
            Ok(trace) => show(&trace, "without a review again", output),
            // Without a review there may be a deferral to take back.
            Err(error) if has_no_review(&error) => {
                let resumed = client.resume_trace(trace_id).await?;
                output.item("review.defer/1", &resumed, || "Not deferred any more.".to_owned())
            }
            Err(error) => Err(error.into()),
        },
    }
}

fn has_no_review(error: &Error) -> bool {
    error.status() == Some(409)
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
