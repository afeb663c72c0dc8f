//! One review for many traces.

use reflect_api::{BulkReviewed, ReviewInBulk};
use reflect_engine::{BulkReviewed as Outcome, BulkRuns, BulkVerdict};

use super::review_queue::{run_filter, seconds, trace_ids};
use crate::http::ApiError;

pub(crate) fn bulk_verdict(request: ReviewInBulk) -> Result<BulkVerdict, ApiError> {
    let runs = match (request.trace_ids, request.filter) {
        (Some(ids), None) => BulkRuns::Named { named: ids.len(), traces: trace_ids(&ids) },
        (None, Some(filter)) => BulkRuns::Matching(run_filter(filter)),
        _ => return Err(ApiError::invalid("trace_ids or filter must be sent, and not both")),
    };
    Ok(BulkVerdict {
        runs,
        result: request.result,
        feedback: request.feedback_text,
        alpha: request.alpha,
        grace: seconds(request.grace_seconds.unwrap_or(0)),
        reviewer: request.reviewer,
        dry_run: request.dry_run,
    })
}

pub(crate) fn bulk_reviewed(dry_run: bool, outcome: &Outcome) -> BulkReviewed {
    BulkReviewed {
        dry_run,
        action_id: outcome.action,
        traces: outcome.traces as u64,
        skipped: outcome.skipped as u64,
        left: outcome.left as u64,
        utilities: outcome.utilities as u64,
        reflections: outcome.reflections as u64,
        tokens: outcome.tokens,
    }
}
