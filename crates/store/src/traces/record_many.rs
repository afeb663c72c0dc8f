//! Storing many runs in one transaction.

use std::collections::HashSet;

use reflect_types::{CrashPoint, TraceId};

use super::TraceStore;
use super::record::{NewTraceRow, RecordedTrace, infer_links, insert_traces, match_signals};
use super::repeated::earlier_result;
use crate::error::StoreError;
use crate::idempotency::{self, Claim, Replay};
use crate::reviews;

impl TraceStore<'_> {
    /// Stores many runs in one transaction, with a result for each. The result is `None` for a gap and for a run that
    /// conflicts with a stored one.
    pub async fn record_many(
        &self,
        mut traces: Vec<Option<NewTraceRow>>,
        claim: Option<&Claim>,
    ) -> Result<Replay<Vec<Option<RecordedTrace>>>, StoreError> {
        let mut transaction = self.db.ingest().await?;
        if let Some(answer) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(Replay { answer, replayed: true }).await;
        }
        infer_links(&mut transaction, traces.iter_mut().flatten().collect()).await?;
        let mut sent: Vec<&NewTraceRow> = traces.iter().flatten().collect();
        // The same order in every transaction prevents deadlocks.
        sent.sort_by_key(|trace| trace.trace_id);
        let mut stored: HashSet<TraceId> =
            insert_traces(&mut transaction, &sent).await?.into_iter().collect();
        let mut outcomes = Vec::with_capacity(traces.len());
        let mut reviewed = Vec::new();
        for trace in &traces {
            outcomes.push(match trace {
                None => None,
                Some(trace) if stored.remove(&trace.trace_id) => {
                    reviewed.extend(trace.reviewed());
                    Some(trace.planned_outcome())
                }
                // Also the second of two runs with the same id.
                Some(trace) => match earlier_result(&mut transaction, trace).await {
                    Err(StoreError::Conflict { .. }) => None,
                    earlier => Some(earlier?),
                },
            });
        }
        // All in one call, because memories must be locked in one order.
        let created = reviews::insert(&mut transaction, &reviewed).await?;
        let new = traces.iter().zip(&outcomes).filter_map(|(trace, outcome)| {
            trace.as_ref().filter(|_| outcome.as_ref().is_some_and(|outcome| outcome.is_new))
        });
        match_signals(&mut transaction, new).await?;
        for outcome in outcomes.iter_mut().flatten().filter(|outcome| outcome.is_new) {
            outcome.memory_id = created.get(&outcome.trace_id).copied();
        }
        idempotency::save_answer(&mut transaction, claim, &outcomes).await?;
        transaction.commit_at(CrashPoint::BatchCommit).await?;
        Ok(Replay::fresh(outcomes))
    }
}
