//! Matching signals with the runs that they are about, from either side.

use std::time::Duration;

use reflect_types::{RunKeyName, SignalId, TraceId};

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::jobs;

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

/// Matches waiting signals with stored runs, and queues these runs. Returns the pairs.
pub(super) async fn match_signals(
    transaction: &mut ProjectTx,
    signals: &[SignalId],
    is_blind: IsBlind<'_>,
) -> Result<Vec<(SignalId, TraceId)>, StoreError> {
    if signals.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as(include_str!("../../sql/signals/candidates.sql"));
    let found: Vec<(SignalId, TraceId)> =
        found.bind(transaction.project).bind(signals).fetch_all(&mut **transaction).await?;
    store_matches(transaction, &found, is_blind).await?;
    Ok(found)
}

/// Matches runs that this transaction stores with the signals that wait for them.
pub(crate) async fn match_runs(
    transaction: &mut ProjectTx,
    runs: &[ArrivingRun<'_>],
) -> Result<(), StoreError> {
    if runs.is_empty() {
        return Ok(());
    }
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
    let found: Vec<(SignalId, TraceId)> = sqlx::query_as(include_str!("../../sql/signals/awaiting.sql"))
        .bind(transaction.project)
        .bind(traces)
        .bind(names)
        .bind(values)
        .fetch_all(&mut **transaction)
        .await?;
    let is_blind = |trace: TraceId| runs.iter().any(|run| run.trace == trace && run.blind);
    store_matches(transaction, &found, &is_blind).await
}

async fn store_matches(
    transaction: &mut ProjectTx,
    found: &[(SignalId, TraceId)],
    is_blind: IsBlind<'_>,
) -> Result<(), StoreError> {
    if found.is_empty() {
        return Ok(());
    }
    let traces: Vec<TraceId> = sqlx::query_scalar(include_str!("../../sql/signals/match.sql"))
        .bind(transaction.project)
        .bind(found.iter().map(|(signal, _)| *signal).collect::<Vec<_>>())
        .bind(found.iter().map(|(_, trace)| *trace).collect::<Vec<_>>())
        .bind(found.iter().map(|(_, trace)| is_blind(*trace)).collect::<Vec<_>>())
        .fetch_all(&mut **transaction)
        .await?;
    jobs::enqueue_resolving(transaction, &traces, Duration::ZERO).await
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
