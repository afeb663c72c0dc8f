//! Reviews.

use reflect_api::{AuthoredReflection, ReviewItem, ReviewOfTrace, ReviewTrace};
use reflect_engine::{AuthoredLesson, Verdict, VerdictOnTrace};
use reflect_store::TraceRow;

use super::review_queue::seconds;
use crate::wire;

pub(crate) fn authored(reflection: AuthoredReflection) -> AuthoredLesson {
    AuthoredLesson {
        summary: reflection.summary,
        guidance: reflection.guidance,
        key_mistake: reflection.key_mistake,
        correct_action: reflection.correct_action,
        applicable_tools: reflection.applicable_tools,
    }
}

pub(crate) fn verdict(request: ReviewTrace) -> Verdict {
    Verdict {
        result: request.result,
        feedback: request.feedback_text,
        alpha: request.alpha,
        authored: request.reflection.map(authored),
        replace: request.replace,
        grace: seconds(request.grace_seconds.unwrap_or(0)),
        reviewer: request.reviewer,
    }
}

pub(crate) fn verdict_on_trace(request: ReviewOfTrace) -> VerdictOnTrace {
    VerdictOnTrace { trace: request.trace_id.parse().ok(), verdict: verdict(request.review) }
}

pub(crate) fn review_taken(row: TraceRow) -> ReviewItem {
    ReviewItem::Taken {
        trace_id: row.trace_id,
        ingest_status: row.ingest,
        created_memory_id: row.memory_id,
        review: row.review.map(|review| wire::review(row.trace_id, review)),
    }
}
