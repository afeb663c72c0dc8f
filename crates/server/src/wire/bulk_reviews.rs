//! One review for many traces.

use reflect_api::{BulkReviewed, ReviewInBulk};
use reflect_engine::{BulkReviewOutcome as Outcome, BulkRuns, BulkVerdict};

use super::review_queue::{run_filter, seconds, trace_ids};
use crate::error::ApiError;
use crate::filter::with_queue_filter;

pub(crate) fn bulk_verdict(request: ReviewInBulk) -> Result<BulkVerdict, ApiError> {
    let (filter, q) = (request.filter, request.q);
    let runs = match request.trace_ids {
        Some(ids) if filter.is_none() && q.is_none() => {
            BulkRuns::Named { named: ids.len(), traces: trace_ids(&ids) }
        }
        None if filter.is_some() || q.is_some() => {
            BulkRuns::Matching(run_filter(with_queue_filter(filter.unwrap_or_default(), q.as_deref())?))
        }
        _ => return Err(ApiError::invalid("send either trace_ids, or filter and q")),
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
