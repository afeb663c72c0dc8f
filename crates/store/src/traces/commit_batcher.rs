//! Group commit: traces that arrive while a commit is in flight are flushed together.
//!
//! A commit costs the same for one trace as for thirty. While the transactions of a project are in flight, further
//! traces of that project are queued and then stored in one transaction. A trace that arrives alone is stored at once.
//! No caller is answered before the transaction with its trace is committed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reflect_types::ProjectId;
use tokio::sync::oneshot;

use super::TraceStore;
use super::record::{NewTraceRow, RecordedTrace, insert_traces, record_alone};
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::idempotency::{self, Claim, Replay};
use crate::reviews::{self, Reviewed};

/// Flush tasks per project: one can prepare its transaction while the other waits for the disk.
const MAX_FLUSH_TASKS: usize = 2;
/// Traces in one transaction. With more, the first trace waits too long for the last.
const MAX_TRACES: usize = 32;
const MAX_BYTES: usize = 4 * 1024 * 1024;

type Answer = Result<Replay<RecordedTrace>, StoreError>;

/// A trace that waits for its transaction.
#[derive(Debug)]
struct PendingTrace {
    trace: NewTraceRow,
    claim: Option<Claim>,
    answer: oneshot::Sender<Answer>,
}

/// The pending traces and the number of flush tasks of each project.
#[derive(Debug, Default)]
pub(crate) struct CommitBatcher {
    projects: Mutex<HashMap<ProjectId, PendingQueue>>,
}

#[derive(Debug, Default)]
struct PendingQueue {
    pending: VecDeque<PendingTrace>,
    flush_tasks: usize,
}

impl CommitBatcher {
    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, PendingQueue>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a trace. Returns true if the caller must start a flush task.
    fn push(&self, project: ProjectId, trace: PendingTrace) -> bool {
        let mut projects = self.lock();
        let queue = projects.entry(project).or_default();
        queue.pending.push_back(trace);
        let start = queue.flush_tasks < MAX_FLUSH_TASKS;
        queue.flush_tasks += usize::from(start);
        start
    }

    /// Takes the next batch. `None` if nothing is pending: the flush task must then end.
    fn take(&self, project: ProjectId) -> Option<Vec<PendingTrace>> {
        let mut projects = self.lock();
        let queue = projects.get_mut(&project)?;
        let mut batch: Vec<PendingTrace> = Vec::new();
        let mut bytes = 0;
        while let Some(next) = queue.pending.front() {
            bytes += next.trace.body.stored_length();
            let full = batch.len() == MAX_TRACES || (bytes > MAX_BYTES && !batch.is_empty());
            if full || batch.iter().any(|other| conflicts(other, next)) {
                break;
            }
            batch.extend(queue.pending.pop_front());
        }
        if batch.is_empty() {
            queue.flush_tasks = queue.flush_tasks.saturating_sub(1);
            if queue.flush_tasks == 0 {
                projects.remove(&project);
            }
            return None;
        }
        Some(batch)
    }

    /// Drops the queue of a project after a panic, so its callers get an error instead of waiting without end.
    fn fail_pending(&self, project: ProjectId) {
        self.lock().remove(&project);
    }

    /// A separate task, because a client that disconnects must not cancel the traces of other clients.
    #[expect(clippy::disallowed_methods, reason = "ends when nothing is pending")]
    fn spawn_flush(self: Arc<Self>, db: ProjectDb) {
        tokio::spawn(async move {
            let _on_panic = FailOnPanic { batcher: &self, project: db.project };
            while let Some(batch) = self.take(db.project) {
                flush(&db, batch).await;
            }
        });
    }
}

/// Fails the pending traces if the flush task panics.
struct FailOnPanic<'a> {
    batcher: &'a CommitBatcher,
    project: ProjectId,
}

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.batcher.fail_pending(self.project);
        }
    }
}

/// Two calls with the same idempotency key or the same trace id, which one statement cannot store.
fn conflicts(one: &PendingTrace, other: &PendingTrace) -> bool {
    let same_key = match (&one.claim, &other.claim) {
        (Some(one), Some(other)) => one.key == other.key,
        _ => false,
    };
    same_key || one.trace.trace_id == other.trace.trace_id
}

impl TraceStore<'_> {
    /// Stores a run with its state, body and review, all or nothing. A repeated call stores nothing again.
    pub async fn record(&self, trace: &NewTraceRow, claim: Option<&Claim>) -> Answer {
        let (answer, answered) = oneshot::channel();
        let pending = PendingTrace { trace: trace.clone(), claim: claim.cloned(), answer };
        if self.batcher.push(self.db.project, pending) {
            self.batcher.clone().spawn_flush(self.db.clone());
        }
        // The sender is dropped without an answer only at shutdown or after a panic.
        answered.await.unwrap_or_else(|_| Err(StoreError::Unavailable(sqlx::Error::PoolClosed)))
    }
}

async fn flush(db: &ProjectDb, mut batch: Vec<PendingTrace>) {
    // The same order in every transaction prevents deadlocks.
    batch.sort_by_key(|pending| pending.trace.trace_id);
    let stored = match batch.len() {
        1 => Ok(vec![None]),
        _ => record_batch(db, &batch).await,
    };
    // Traces that the batch did not store are stored one by one, unless the database cannot be reached.
    let mut unreachable = stored.as_ref().is_err_and(StoreError::is_unreachable);
    let stored = stored.unwrap_or_else(|_| vec![None; batch.len()]);
    for (pending, recorded) in batch.into_iter().zip(stored) {
        let answer = match recorded {
            Some(recorded) => Ok(Replay::fresh(recorded)),
            None if unreachable => Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)),
            None => record_alone(db, &pending.trace, pending.claim.as_ref()).await,
        };
        unreachable |= answer.as_ref().is_err_and(StoreError::is_unreachable);
        let _ = pending.answer.send(answer);
    }
}

/// One transaction for all. The result is `None` for a trace whose idempotency key or id is taken. After an error each
/// trace is stored alone under the same id, so a commit whose answer was lost stores nothing twice.
async fn record_batch(
    db: &ProjectDb,
    batch: &[PendingTrace],
) -> Result<Vec<Option<RecordedTrace>>, StoreError> {
    let mut transaction = db.ingest().await?;
    let claims = batch.iter().filter_map(|p| p.claim.as_ref().map(|claim| (claim, p.trace.outcome())));
    let free = idempotency::claim_many(&mut transaction, claims.collect()).await?;
    let is_free = |claim: &Option<Claim>| claim.as_ref().is_none_or(|claim| free.contains(&claim.key));
    let traces: Vec<&NewTraceRow> =
        batch.iter().filter(|pending| is_free(&pending.claim)).map(|pending| &pending.trace).collect();
    if insert_traces(&mut transaction, &traces).await?.len() < traces.len() {
        return Ok(vec![None; batch.len()]);
    }
    let reviewed: Vec<Reviewed<'_>> = traces.iter().filter_map(|trace| trace.reviewed()).collect();
    reviews::insert(&mut transaction, &reviewed).await?;
    transaction.commit().await?;
    let outcome = |pending: &PendingTrace| is_free(&pending.claim).then(|| pending.trace.outcome());
    Ok(batch.iter().map(outcome).collect())
}
