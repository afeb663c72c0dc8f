//! Matching signals with the runs that they are about, from either side.

use std::collections::HashSet;
use std::time::Duration;

use reflect_types::{RunKeyName, SignalId, TraceId};
use uuid::Uuid;

use super::SignalStore;

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::jobs::{self, SignalMinute};

/// Whether the signals about a run are withheld from reviewers.
pub(super) type IsBlind<'a> = &'a (dyn Fn(TraceId) -> bool + Sync);

/// A run that is being stored, as signals find it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrivingRun<'a> {
    pub(crate) trace: TraceId,
    pub(crate) keys: &'a [(RunKeyName, String)],
    /// Whether the signals about it are withheld from reviewers.
    pub(crate) blind: bool,
}

/// Decides which stored runs open signals are about, and queues the runs for which that changes. Returns the pairs.
pub(super) async fn match_signals(
    transaction: &mut ProjectTx,
    signals: &[SignalId],
    is_blind: impl Fn(TraceId) -> Option<bool>,
) -> Result<Vec<(SignalId, TraceId)>, StoreError> {
    if signals.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as(include_str!("../../sql/signals/candidates.sql"));
    let mut found: Vec<(SignalId, TraceId)> =
        found.bind(transaction.project).bind(signals).fetch_all(&mut **transaction).await?;
    // Newest runs first. The statement locks them in the order of their ids.
    found.reverse();
    let traces: Vec<TraceId> = sqlx::query_scalar(include_str!("../../sql/signals/match.sql"))
        .bind(transaction.project)
        .bind(signals)
        .bind(found.iter().map(|(signal, _)| *signal).collect::<Vec<_>>())
        .bind(found.iter().map(|(_, trace)| *trace).collect::<Vec<_>>())
        .bind(found.iter().map(|(_, trace)| is_blind(*trace)).collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    jobs::enqueue_resolving(transaction, &traces, Duration::ZERO).await?;
    Ok(found)
}

/// Matches runs that this transaction stores with the signals that are about them.
pub(crate) async fn match_runs(
    transaction: &mut ProjectTx,
    runs: &[ArrivingRun<'_>],
) -> Result<(), StoreError> {
    #[cfg(debug_assertions)]
    if transaction.has_fault(StoreFault::ForgetEarlySignals) {
        return Ok(());
    }
    let (mut traces, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for run in runs {
        let keys = run.keys.iter().map(|(name, value)| (name.as_str(), value.clone()));
        for (name, value) in keys.chain([("trace_id", run.trace.to_string())]) {
            traces.push(run.trace);
            names.push(name);
            values.push(value);
        }
    }
    let waiting: Vec<SignalId> = sqlx::query_scalar(include_str!("../../sql/signals/awaiting.sql"))
        .bind(transaction.project)
        .bind(traces)
        .bind(names)
        .bind(values)
        .fetch_all(&mut **transaction)
        .await?;
    // A signal may also be about a run that was stored at the same time as the signal.
    let is_blind = |trace: TraceId| runs.iter().find(|run| run.trace == trace).map(|run| run.blind);
    match_signals(transaction, &waiting, is_blind).await?;
    Ok(())
}

/// Removes signals about runs that were deleted. Returns their ids.
pub(super) async fn remove_erased(
    transaction: &mut ProjectTx,
    signals: &[SignalId],
) -> Result<HashSet<SignalId>, StoreError> {
    if signals.is_empty() {
        return Ok(HashSet::new());
    }
    let erased = sqlx::query_scalar(include_str!("../../sql/signals/remove_erased.sql"));
    let erased: Vec<SignalId> =
        erased.bind(transaction.project).bind(signals).fetch_all(&mut **transaction).await?;
    Ok(erased.into_iter().collect())
}

impl SignalStore<'_> {
    /// Looks again at the signals of a minute that have found no run.
    pub async fn match_waiting(&self, minute: SignalMinute, is_blind: IsBlind<'_>) -> Result<(), StoreError> {
        let mut after = minute.first();
        loop {
            let mut transaction = self.db.point_write().await?;
            let page: Vec<SignalId> = sqlx::query_scalar(include_str!("../../sql/signals/unmatched.sql"))
                .bind(self.db.project)
                .bind(after)
                .bind(minute.end())
                .fetch_all(&mut *transaction)
                .await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Uuid::from_u128(last.as_uuid().as_u128().saturating_add(1));
            let locked = sqlx::query_scalar(include_str!("../../sql/signals/lock.sql"));
            let locked: Vec<SignalId> =
                locked.bind(self.db.project).bind(&page).fetch_all(&mut *transaction).await?;
            let found = match_signals(&mut transaction, &locked, |trace| Some(is_blind(trace))).await?;
            let unmatched = locked.into_iter().filter(|id| found.iter().all(|(matched, _)| matched != id));
            let unmatched: Vec<SignalId> = unmatched.collect();
            remove_erased(&mut transaction, &unmatched).await?;
            transaction.commit().await?;
        }
    }
}

/// Which runs signals are about.
pub(super) async fn matches(
    transaction: &mut ProjectTx,
    signals: &[SignalId],
) -> Result<Vec<(SignalId, TraceId)>, StoreError> {
    if signals.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as(include_str!("../../sql/signals/matches.sql"));
    Ok(found.bind(transaction.project).bind(signals).fetch_all(&mut **transaction).await?)
}
