//! Traces and their reviews.

use reflect_api::{CreateTrace, Review, Trace, TraceSubmission};
use reflect_engine::{SubmittedReview, SubmittedRun};
use reflect_store::{RecordedTrace, ReviewRow, TraceRow};
use reflect_types::TraceId;
use serde_json::value::RawValue;

use super::lessons::authored;
use crate::error::ApiError;

pub(crate) fn run(request: CreateTrace) -> SubmittedRun {
    SubmittedRun {
        trace_id: request.trace_id,
        task: request.task,
        trajectory: request.trajectory,
        final_response: request.final_response,
        retrieved: request.retrieved_memory_ids.unwrap_or_default(),
        retrieval_id: request.retrieval_id,
        used: request.used_memory_ids,
        model: request.model,
        metadata: request.metadata.unwrap_or_default(),
        reference_context: request.reference_context,
        keys: request.keys.unwrap_or_default().into_iter().collect(),
        review: request.review.map(|review| SubmittedReview {
            result: review.result,
            feedback: review.feedback_text,
            alpha: review.alpha,
            authored: review.reflection.map(authored),
            reviewed_at: review.reviewed_at,
        }),
        ran: None,
    }
}

pub(crate) const fn submission(recorded: RecordedTrace) -> TraceSubmission {
    let RecordedTrace { trace_id, ingest, memory_id, .. } = recorded;
    TraceSubmission { trace_id, id: trace_id, ingest_status: ingest, created_memory_id: memory_id }
}

pub(crate) fn trace(row: TraceRow) -> Result<Trace, ApiError> {
    let trajectory = RawValue::from_string(row.trajectory).map_err(|error| {
        tracing::error!(trace.id = %row.trace_id, %error, "the body of trace {} is not JSON", row.trace_id);
        ApiError::internal()
    })?;
    Ok(Trace {
        id: row.trace_id,
        task: row.task,
        trajectory,
        final_response: row.final_response.unwrap_or_default(),
        retrieved_memory_ids: row.retrieved,
        retrieval_id: row.retrieval_id,
        linked_memory_ids: row.linked,
        link: row.link,
        arm: row.arm,
        model: row.model,
        metadata: row.metadata,
        reference_context: row.reference_context,
        keys: row.keys,
        review_status: row.review_status,
        ingest_status: row.ingest,
        ingest_attempts: row.attempts,
        last_ingest_error: row.last_error,
        created_memory_id: row.memory_id,
        review: row.review.map(|given| review(row.trace_id, given)),
        created_at: row.created_at,
    })
}

pub(crate) fn review(trace_id: TraceId, row: ReviewRow) -> Review {
    Review {
        id: row.review_id,
        trace_id,
        result: row.result,
        feedback_text: row.feedback,
        mode: row.mode,
        alpha: row.alpha,
        reviewer: row.reviewer,
        created_at: row.created_at,
        learns_at: row.learns_at,
    }
}
