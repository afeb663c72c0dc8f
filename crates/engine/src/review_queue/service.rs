//! Leases runs to reviewers.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{Deferral, Lease, NewDeferral, Store, WaitingRun};
use reflect_types::{MemoryId, TraceId};

use super::order::Scored;
use super::request::{NextRuns, QueueAnswer, QueueItem};
use super::waiting_runs::{CheckedFilter, WaitingRuns, reach};
use crate::caller::Visitor;
use crate::client_text::{Redaction, storable};
use crate::error::EngineError;
use crate::reviewer::reviewer;

const MOST_AT_ONCE: usize = 20;
const MOST_SKIPPED: usize = 1000;
const LONGEST_LEASE: Duration = Duration::from_secs(900);
/// Retries when another caller leases the same runs at the same time.
const LOOKS: usize = 5;
const MOST_LEASES: usize = 100;
const LONGEST_NOTE: usize = 1000;
/// After this time a deferred run would be forgotten.
const LONGEST_DEFERRAL: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Renews or releases leases.
#[derive(Debug, Clone)]
pub struct LeaseChange {
    /// The runs.
    pub traces: Vec<TraceId>,
    /// The new duration; `None` releases the leases.
    pub lease: Option<Duration>,
    /// The name of the reviewer, if several use the same key.
    pub reviewer: Option<String>,
}

/// Defers a run. Exactly one of `time` and `until` is set.
#[derive(Debug, Clone)]
pub struct DeferRun {
    /// For this long.
    pub time: Option<Duration>,
    /// Until this time.
    pub until: Option<DateTime<Utc>>,
    /// The reason.
    pub note: Option<String>,
    /// The name of the reviewer, if several use the same key.
    pub reviewer: Option<String>,
}

/// Gives out runs that wait for a review.
#[derive(Debug, Clone)]
pub struct ReviewQueueService {
    store: Store,
    waiting: WaitingRuns,
    redaction: Redaction,
}

impl ReviewQueueService {
    pub(crate) const fn new(store: Store, waiting: WaitingRuns, redaction: Redaction) -> Self {
        Self { store, waiting, redaction }
    }

    /// Leases runs to the caller and returns their digests.
    pub async fn next(&self, visitor: &Visitor, asked: NextRuns) -> Result<QueueAnswer, EngineError> {
        if !(1..=MOST_AT_ONCE).contains(&asked.count) {
            return Err(EngineError::invalid("count", format!("must be from 1 to {MOST_AT_ONCE}")));
        }
        if asked.skip.len() > MOST_SKIPPED {
            let problem = format!("must not have more than {MOST_SKIPPED} entries");
            return Err(EngineError::invalid("skip", problem));
        }
        check_lease(asked.lease)?;
        let filter = CheckedFilter::new(&asked.filter)?;
        let holder = reviewer(visitor, asked.reviewer.as_deref())?;
        let project = self.store.project(visitor.project);
        let mut skip = asked.skip.clone();
        let mut leased = Vec::new();
        let mut remaining = 0;
        for _ in 0..LOOKS {
            let (order, reach) = (asked.order, reach(asked.order));
            let found =
                self.waiting.arrange(visitor, &holder, &filter, order, reach, &skip, asked.renew).await?;
            let wanted: Vec<TraceId> = found.runs.iter().map(|(run, _)| run.trace_id).collect();
            let most = asked.count - leased.len();
            let got = project.queue().lease(&holder, &wanted, most, asked.lease, asked.renew).await?;
            remaining = found.total.saturating_sub(got.len());
            let was_all = got.len() == most || got.len() == wanted.len();
            let mut runs: HashMap<TraceId, (WaitingRun, Scored)> =
                found.runs.into_iter().map(|(run, scored)| (run.trace_id, (run, scored))).collect();
            for id in wanted {
                let lease = got.iter().find(|lease| lease.trace_id == id);
                if let (Some(lease), Some((run, scored))) = (lease, runs.remove(&id)) {
                    skip.push(id);
                    leased.push((run, scored, lease.leased_until));
                }
            }
            if was_all {
                break;
            }
        }
        let linked: BTreeSet<MemoryId> =
            leased.iter().flat_map(|(run, _, _)| run.linked.iter().copied()).collect();
        let memories = project.queue().linked_memories(&linked.into_iter().collect::<Vec<_>>()).await?;
        let runs: Vec<WaitingRun> = leased.iter().map(|(run, _, _)| run.clone()).collect();
        let mut digests: HashMap<TraceId, _> = self
            .waiting
            .digests(&project, &runs, &memories)
            .await?
            .into_iter()
            .map(|(trace, digest)| (trace.trace_id, (trace, digest)))
            .collect();
        let items = leased.into_iter().filter_map(|(run, scored, leased_until)| {
            let (trace, digest) = digests.remove(&run.trace_id)?;
            Some(QueueItem {
                trace_id: run.trace_id,
                leased_until,
                created_at: trace.created_at,
                model: trace.model,
                link: run.link,
                deferred_by: run.deferred_by,
                deferred_note: run.deferred_note,
                scored,
                digest,
            })
        });
        Ok(QueueAnswer { items: items.collect(), remaining })
    }

    /// Renews or releases leases of the caller. Returns the leases that the caller still has.
    pub async fn change_leases(
        &self,
        visitor: &Visitor,
        change: LeaseChange,
    ) -> Result<Vec<Lease>, EngineError> {
        if change.traces.len() > MOST_LEASES {
            let problem = format!("must not have more than {MOST_LEASES} entries");
            return Err(EngineError::invalid("trace_ids", problem));
        }
        let holder = reviewer(visitor, change.reviewer.as_deref())?;
        let project = self.store.project(visitor.project);
        let Some(lease) = change.lease else {
            project.queue().release(&holder, &change.traces).await?;
            return Ok(Vec::new());
        };
        check_lease(lease)?;
        Ok(project.queue().renew(&holder, &change.traces, lease).await?)
    }

    /// Defers a run. Returns until when and by which reviewer.
    pub async fn defer(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        asked: DeferRun,
    ) -> Result<(DateTime<Utc>, String), EngineError> {
        let until = match (asked.time, asked.until) {
            (Some(time), None) => Deferral::For(time.min(LONGEST_DEFERRAL + Duration::from_secs(1))),
            (None, Some(until)) => Deferral::Until(until),
            _ => return Err(EngineError::invalid("seconds", "or until must be sent, and not both")),
        };
        if asked.note.as_ref().is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
            let problem = format!("must not be longer than {LONGEST_NOTE} characters");
            return Err(EngineError::invalid("note", problem));
        }
        let by = reviewer(visitor, asked.reviewer.as_deref())?;
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let note = redactor.optional("note", asked.note.map(storable))?;
        redactor.finish();
        let deferral = NewDeferral { until, by: by.clone(), note, longest: LONGEST_DEFERRAL };
        let until = self.store.project(visitor.project).queue().defer(trace, &deferral).await?;
        let field = if asked.until.is_some() { "until" } else { "seconds" };
        let until = until.ok_or_else(|| {
            EngineError::invalid(field, "must lie in the future, and no more than 90 days from now")
        })?;
        Ok((until, by))
    }

    /// Ends the deferral of a run.
    pub async fn resume(&self, visitor: &Visitor, trace: TraceId) -> Result<(), EngineError> {
        Ok(self.store.project(visitor.project).queue().resume(trace).await?)
    }
}

fn check_lease(lease: Duration) -> Result<(), EngineError> {
    if lease.is_zero() || lease > LONGEST_LEASE {
        let problem = format!("must be from 1 to {}", LONGEST_LEASE.as_secs());
        return Err(EngineError::invalid("lease_seconds", problem));
    }
    Ok(())
}
