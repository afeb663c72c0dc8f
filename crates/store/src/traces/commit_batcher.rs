//! Group commit: traces that arrive while a transaction is prepared are stored together in the next one.
//!
//! A transaction costs the same for one trace as for thirty. In each project, one flush task at a time takes the pending
//! traces and runs their statements. While it waits for its commit, the next one begins. A trace that arrives alone is
//! stored at once. No caller is answered before the transaction with its trace is committed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reflect_types::{CrashPoint, MemoryId, ProjectId, TraceId};
use tokio::sync::oneshot;

use super::TraceStore;
use super::record::{NewTraceRow, RecordedTrace, infer_links, insert_traces, match_signals};
use super::repeated::earlier_result;
use crate::db::{ProjectDb, ProjectTx};
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

/// The pending traces and the flush tasks of each project.
#[derive(Debug, Default)]
pub(crate) struct CommitBatcher {
    projects: Mutex<HashMap<ProjectId, PendingQueue>>,
}

#[derive(Debug, Default)]
struct PendingQueue {
    pending: VecDeque<PendingTrace>,
    /// Whether a flush task has the turn: it has taken traces and has not sent its commit.
    preparing: bool,
    /// All flush tasks, also those that wait for their commit.
    flush_tasks: usize,
}

impl PendingQueue {
    /// Gives the turn to a new flush task. False if none is needed, or if the running ones will take the pending traces.
    fn start_task(&mut self) -> bool {
        let starts = !self.pending.is_empty() && !self.preparing && self.flush_tasks < MAX_FLUSH_TASKS;
        if starts {
            self.preparing = true;
            self.flush_tasks += 1;
        }
        starts
    }

    fn take_batch(&mut self) -> Vec<PendingTrace> {
        let mut batch: Vec<PendingTrace> = Vec::new();
        let mut bytes = 0;
        while let Some(next) = self.pending.front() {
            bytes += next.trace.body.stored_length();
            let full = batch.len() == MAX_TRACES || (bytes > MAX_BYTES && !batch.is_empty());
            if full || batch.iter().any(|other| conflicts(other, next)) {
                break;
            }
            batch.extend(self.pending.pop_front());
        }
        batch
    }
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
        queue.start_task()
    }

    /// Ends the turn of a flush task. Returns true if the caller must start another flush task.
    fn end_turn(&self, project: ProjectId) -> bool {
        let mut projects = self.lock();
        let Some(queue) = projects.get_mut(&project) else { return false };
        queue.preparing = false;
        queue.start_task()
    }

    /// Takes the next batch, and with it the turn. `None` if nothing is pending or another flush task has the turn: the
    /// flush task must then end.
    fn take(&self, project: ProjectId, has_turn: bool) -> Option<Vec<PendingTrace>> {
        let mut projects = self.lock();
        let queue = projects.get_mut(&project)?;
        if has_turn || !queue.preparing {
            let batch = queue.take_batch();
            queue.preparing = !batch.is_empty();
            if queue.preparing {
                return Some(batch);
            }
        }
        queue.flush_tasks = queue.flush_tasks.saturating_sub(1);
        if queue.flush_tasks == 0 {
            projects.remove(&project);
        }
        None
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
            // Requests that are ready to run add their traces first.
            tokio::task::yield_now().await;
            let mut turn = FlushTurn { batcher: &self, db: &db, held: true };
            while let Some(batch) = self.take(db.project, turn.held) {
                turn.held = true;
                flush(&db, batch, &mut turn).await;
            }
        });
    }
}

/// The turn of a flush task: no other transaction of its project is prepared until it ends.
struct FlushTurn<'a> {
    batcher: &'a Arc<CommitBatcher>,
    db: &'a ProjectDb,
    held: bool,
}

impl FlushTurn<'_> {
    /// Before a commit, which waits for the disk: the next transaction is prepared meanwhile.
    fn end(&mut self) {
        if std::mem::take(&mut self.held) && self.batcher.end_turn(self.db.project) {
            self.batcher.clone().spawn_flush(self.db.clone());
        }
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

async fn flush(db: &ProjectDb, mut batch: Vec<PendingTrace>, turn: &mut FlushTurn<'_>) {
    // The same order in every transaction prevents deadlocks.
    batch.sort_by_key(|pending| pending.trace.trace_id);
    let stored = match batch.len() {
        1 => Ok(vec![None]),
        _ => record_batch(db, &mut batch, turn).await,
    };
    // Traces that the batch did not store are stored one by one, unless the database cannot be reached.
    let mut unreachable = stored.as_ref().is_err_and(StoreError::is_unreachable);
    let stored = stored.unwrap_or_else(|_| vec![None; batch.len()]);
    for (mut pending, recorded) in batch.into_iter().zip(stored) {
        let answer = match recorded {
            Some(recorded) => Ok(Replay::fresh(recorded)),
            None if unreachable => Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)),
            None => record_alone(db, &mut pending.trace, pending.claim.as_ref(), turn).await,
        };
        unreachable |= answer.as_ref().is_err_and(StoreError::is_unreachable);
        let _ = pending.answer.send(answer);
    }
}

/// One transaction for all. The result is `None` for a trace whose idempotency key or id is taken. After an error each
/// trace is stored alone under the same id, so a commit whose answer was lost stores nothing twice.
async fn record_batch(
    db: &ProjectDb,
    batch: &mut [PendingTrace],
    turn: &mut FlushTurn<'_>,
) -> Result<Vec<Option<RecordedTrace>>, StoreError> {
    let mut transaction = db.ingest().await?;
    let claims =
        batch.iter().filter_map(|p| p.claim.as_ref().map(|claim| (claim, p.trace.planned_outcome())));
    let free = idempotency::claim_many(&mut transaction, claims.collect()).await?;
    let is_free = |claim: &Option<Claim>| claim.as_ref().is_none_or(|claim| free.contains(&claim.key));
    let stored = batch.iter_mut().filter(|pending| is_free(&pending.claim));
    infer_links(&mut transaction, stored.map(|pending| &mut pending.trace).collect()).await?;
    let traces: Vec<&NewTraceRow> =
        batch.iter().filter(|pending| is_free(&pending.claim)).map(|pending| &pending.trace).collect();
    if insert_traces(&mut transaction, &traces).await?.len() < traces.len() {
        return Ok(vec![None; batch.len()]);
    }
    let reviewed: Vec<Reviewed<'_>> = traces.iter().filter_map(|trace| trace.reviewed()).collect();
    let created = reviews::insert(&mut transaction, &reviewed).await?;
    match_signals(&mut transaction, traces.iter().copied()).await?;
    for pending in batch.iter().filter(|pending| is_free(&pending.claim)) {
        correct_answer(&mut transaction, pending.claim.as_ref(), &pending.trace, &created).await?;
    }
    turn.end();
    transaction.commit_at(CrashPoint::IngestCommit).await?;
    let outcome = |pending: &PendingTrace| is_free(&pending.claim).then(|| pending.trace.outcome(&created));
    Ok(batch.iter().map(outcome).collect())
}

/// Stores the answer of a call again, if its memory is not the planned one. Returns the answer.
async fn correct_answer(
    transaction: &mut ProjectTx,
    claim: Option<&Claim>,
    trace: &NewTraceRow,
    created: &HashMap<TraceId, MemoryId>,
) -> Result<RecordedTrace, StoreError> {
    let outcome = trace.outcome(created);
    if outcome != trace.planned_outcome() {
        idempotency::save_answer(transaction, claim, &outcome).await?;
    }
    Ok(outcome)
}

/// One run in its own transaction.
async fn record_alone(
    db: &ProjectDb,
    trace: &mut NewTraceRow,
    claim: Option<&Claim>,
    turn: &mut FlushTurn<'_>,
) -> Answer {
    let mut transaction = db.ingest().await?;
    let planned = trace.planned_outcome();
    if let Some(answer) = idempotency::claim(&mut transaction, claim, Some(&planned)).await? {
        return transaction.repeat(Replay { answer, replayed: true }).await;
    }
    infer_links(&mut transaction, vec![&mut *trace]).await?;
    let replayed = insert_traces(&mut transaction, &[&*trace]).await?.is_empty();
    let answer = match replayed {
        true => earlier_result(&mut transaction, trace).await?,
        false => {
            let created = reviews::insert(&mut transaction, trace.reviewed().as_slice()).await?;
            match_signals(&mut transaction, std::iter::once(&*trace)).await?;
            correct_answer(&mut transaction, claim, trace, &created).await?
        }
    };
    turn.end();
    transaction.commit_at(CrashPoint::IngestCommit).await?;
    Ok(Replay { answer, replayed })
}

#[cfg(test)]
mod tests {
    use reflect_types::KeyId;

    use super::super::record::Body;
    use super::*;

    const PROJECT: ProjectId = ProjectId::new(1);

    fn pending() -> PendingTrace {
        let trace =
            NewTraceRow::new(TraceId::generate(), "a task".into(), Body::encode("[]"), KeyId::generate());
        PendingTrace { trace, claim: None, answer: oneshot::channel().0 }
    }

    fn taken(batcher: &CommitBatcher, has_turn: bool) -> Option<usize> {
        batcher.take(PROJECT, has_turn).map(|batch| batch.len())
    }

    #[test]
    fn traces_that_arrive_while_a_transaction_is_prepared_share_the_next_one() {
        let batcher = CommitBatcher::default();
        assert!(batcher.push(PROJECT, pending()));
        assert_eq!(taken(&batcher, true), Some(1));

        assert!(!batcher.push(PROJECT, pending()) && !batcher.push(PROJECT, pending()));

        assert!(batcher.end_turn(PROJECT), "the next transaction is prepared during the commit");
        assert_eq!(taken(&batcher, true), Some(2));
    }

    #[test]
    fn with_all_flush_tasks_in_their_commit_the_first_to_finish_takes_what_is_pending() {
        let batcher = CommitBatcher::default();
        for _ in 0..MAX_FLUSH_TASKS {
            assert!(batcher.push(PROJECT, pending()));
            assert_eq!(taken(&batcher, true), Some(1));
            assert!(!batcher.end_turn(PROJECT));
        }

        assert!(!batcher.push(PROJECT, pending()));

        assert_eq!(taken(&batcher, false), Some(1));
    }

    #[test]
    fn a_flush_task_ends_while_another_has_the_turn_and_no_queue_is_left() {
        let batcher = CommitBatcher::default();
        assert!(batcher.push(PROJECT, pending()));
        assert_eq!(taken(&batcher, true), Some(1));
        assert!(!batcher.end_turn(PROJECT));
        assert!(batcher.push(PROJECT, pending()));

        assert_eq!(taken(&batcher, false), None, "the other task takes it");

        assert_eq!(taken(&batcher, true), Some(1));
        assert!(!batcher.end_turn(PROJECT));
        assert_eq!(taken(&batcher, false), None);
        assert!(batcher.lock().is_empty());
    }
}
