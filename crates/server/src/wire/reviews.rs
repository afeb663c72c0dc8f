//! Reviews.

use reflect_api::{ReviewItem, ReviewOfTrace, ReviewTrace};
use reflect_engine::{ReviewRequest, TraceReviewRequest};
use reflect_store::TraceRow;

use super::lessons::authored;
use super::review_queue::seconds;
use super::traces::review;

pub(crate) fn verdict(request: ReviewTrace) -> ReviewRequest {
    ReviewRequest {
        result: request.result,
        feedback: request.feedback_text,
        alpha: request.alpha,
        authored: request.reflection.map(authored),
        replace: request.replace,
        grace: seconds(request.grace_seconds.unwrap_or(0)),
        reviewer: request.reviewer,
    }
}

pub(crate) fn verdict_on_trace(request: ReviewOfTrace) -> TraceReviewRequest {
    TraceReviewRequest { trace: request.trace_id.parse().ok(), verdict: verdict(request.review) }
}

pub(crate) fn accepted_review(row: TraceRow) -> ReviewItem {
    ReviewItem::Taken {
        trace_id: row.trace_id,
        ingest_status: row.ingest,
        created_memory_id: row.memory_id,
        review: row.review.map(|given| review(row.trace_id, given)),
    }
}
