//! The next runs to review.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use reflect_store::WaitingRun;
use reflect_types::{MemoryId, TraceId};

use super::arrange::{CheckedFilter, reach};
use super::{NextRuns, QueueAnswer, QueueItem, Scored};
use crate::authenticate::Visitor;
use crate::review::reviewer;
use crate::{Engine, EngineError};

const MOST_AT_ONCE: usize = 20;
const MOST_SKIPPED: usize = 1000;
pub(super) const LONGEST_LEASE: Duration = Duration::from_secs(900);
/// Others lease at the same moment; whoever loses looks again.
const LOOKS: usize = 5;

impl Engine {
    /// Leases runs to whoever asks, and shows them at a glance.
    pub async fn next_runs(&self, visitor: &Visitor, asked: NextRuns) -> Result<QueueAnswer, EngineError> {
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
            let found = self.arrange(visitor, &holder, &filter, order, reach, &skip, asked.renew).await?;
            let wanted: Vec<TraceId> = found.runs.iter().map(|(run, _)| run.trace_id).collect();
            let most = asked.count - leased.len();
            let got = project.lease_runs(&holder, &wanted, most, asked.lease, asked.renew).await?;
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
        let memories = project.linked_memories(&linked.into_iter().collect::<Vec<_>>()).await?;
        let runs: Vec<WaitingRun> = leased.iter().map(|(run, _, _)| run.clone()).collect();
        let mut digests: HashMap<TraceId, _> = self
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
}

pub(super) fn check_lease(lease: Duration) -> Result<(), EngineError> {
    if lease.is_zero() || lease > LONGEST_LEASE {
        let problem = format!("must be from 1 to {}", LONGEST_LEASE.as_secs());
        return Err(EngineError::invalid("lease_seconds", problem));
    }
    Ok(())
}
