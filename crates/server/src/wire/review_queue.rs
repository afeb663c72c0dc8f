//! The review queue.

use std::time::Duration;

use reflect_api::{
    ChangeLeases, DeferTrace, DeferredTrace, DigestMemory, DigestStep, DigestSteps, HeldLeases, NextReviews,
    QueueLease, QueueReason, QueuedTrace, QueuedTraces, ReviewQueue, RunFilter, RunSignal, TraceDigest,
};
use reflect_engine::review_queue::{
    self, DeferRun, Digest, LeaseChange, NextRuns, QueueAnswer, QueueItem, Steps,
};
use reflect_store::{Lease, QueueCounts};
use reflect_types::TraceId;

use crate::error::ApiError;
use crate::filter::with_queue_filter;

const USUAL_COUNT: u32 = 3;
const USUAL_LEASE: u32 = 120;

pub(crate) fn next_runs(request: NextReviews) -> Result<NextRuns, ApiError> {
    let filter = with_queue_filter(request.filter.unwrap_or_default(), request.q.as_deref())?;
    Ok(NextRuns {
        count: request.count.unwrap_or(USUAL_COUNT) as usize,
        order: request.order.unwrap_or_default(),
        lease: seconds(request.lease_seconds.unwrap_or(USUAL_LEASE)),
        skip: trace_ids(&request.skip.unwrap_or_default()),
        renew: request.renew,
        reviewer: request.reviewer,
        filter: run_filter(filter),
    })
}

pub(crate) fn run_filter(filter: RunFilter) -> review_queue::PendingRunFilter {
    review_queue::PendingRunFilter {
        model: filter.model,
        metadata: filter.metadata.unwrap_or_default(),
        task: filter.task,
        signal: filter.signal,
        judged: filter.judged,
    }
}

/// Invalid ids match no trace, so they are dropped.
pub(crate) fn trace_ids(texts: &[String]) -> Vec<TraceId> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

pub(crate) fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(u64::from(seconds))
}

pub(crate) fn queued_traces(answer: QueueAnswer) -> QueuedTraces {
    let items = answer.items.into_iter().map(queued_trace).collect();
    QueuedTraces { items, remaining: answer.remaining as u64 }
}

fn queued_trace(item: QueueItem) -> QueuedTrace {
    let reasons = item.scored.reasons.iter();
    let reasons =
        reasons.map(|(reason, weight)| QueueReason { reason: reason.as_str().to_owned(), weight: *weight });
    QueuedTrace {
        trace_id: item.trace_id,
        leased_until: item.leased_until,
        created_at: item.created_at,
        model: item.model,
        link: item.link,
        deferred_by: item.deferred_by,
        deferred_note: item.deferred_note,
        score: item.scored.score(),
        reasons: reasons.collect(),
        digest: digest(item.digest),
    }
}

fn digest(digest: Digest) -> TraceDigest {
    let signals = digest.signals.iter().map(|signal| RunSignal {
        signal: signal.kind.as_str().to_owned(),
        count: signal.count as u64,
        step: signal.step.map(|step| step as u64),
    });
    let memories = digest.memories.into_iter().map(|memory| DigestMemory {
        id: memory.memory_id,
        summary: memory.summary,
        status: memory.status,
        q_value: memory.utility,
        q_value_after_pass: memory.after_pass,
        q_value_after_fail: memory.after_fail,
        evidence: memory.evidence,
    });
    TraceDigest {
        task: digest.task.text,
        task_is_cut: digest.task.is_cut,
        answer: digest.answer.text,
        answer_is_cut: digest.answer.is_cut,
        steps: digest.steps.map(steps),
        signals: signals.collect(),
        memories: memories.collect(),
    }
}

fn steps(steps: Steps) -> DigestSteps {
    let listed = steps.listed.into_iter().map(|line| DigestStep {
        step: line.step as u64,
        message: line.message as u64,
        kind: line.kind.to_owned(),
        title: line.title,
        failed: line.failed,
    });
    let by_kind = steps.by_kind.iter().map(|(kind, count)| ((*kind).to_owned(), *count as u64));
    DigestSteps { total: steps.total as u64, by_kind: by_kind.collect(), listed: listed.collect() }
}

pub(crate) fn lease_change(request: ChangeLeases) -> LeaseChange {
    let lease = seconds(request.lease_seconds.unwrap_or(USUAL_LEASE));
    LeaseChange {
        traces: trace_ids(&request.trace_ids),
        lease: (!request.release).then_some(lease),
        reviewer: request.reviewer,
    }
}

pub(crate) fn held_leases(leases: Vec<Lease>) -> HeldLeases {
    let held = leases.into_iter();
    let held = held.map(|lease| QueueLease { trace_id: lease.trace_id, leased_until: lease.leased_until });
    HeldLeases { held: held.collect() }
}

pub(crate) fn defer_run(request: DeferTrace) -> DeferRun {
    DeferRun {
        time: request.seconds.map(Duration::from_secs),
        until: request.until,
        note: request.note,
        reviewer: request.reviewer,
    }
}

pub(crate) const fn not_deferred(trace_id: TraceId) -> DeferredTrace {
    DeferredTrace { trace_id, deferred_until: None, deferred_by: None, note: None }
}

pub(crate) fn review_queue(counts: QueueCounts) -> ReviewQueue {
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    ReviewQueue {
        pending: count(counts.pending),
        leased: count(counts.leased),
        deferred: count(counts.deferred),
        oldest_pending_seconds: counts.oldest_pending,
        reviewed_today: count(counts.reviewed_today),
    }
}
