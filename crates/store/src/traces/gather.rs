//! Runs that arrive at the same time share a transaction.
//!
//! Committing costs the same for one run as for thirty. So while a transaction of a project is under
//! way, further runs of that project wait for it to end and then go together. Nobody waits when
//! nothing is under way, and nobody is answered before the transaction that holds their run is
//! committed.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use reflect_types::ProjectId;
use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::idempotency::{Claim, Replay};
use crate::project_ctx::ProjectCtx;
use crate::traces::{NewTrace, Recorded};

/// Transactions of one project under way at one time: one can work while the other waits for the disk.
const AT_ONCE: usize = 2;
/// Runs in one transaction; more would make the first of them wait for the last.
const MOST_RUNS: usize = 32;
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// What a caller is answered.
type Answer = Result<Replay<Recorded>, StoreError>;

/// One run on its way.
#[derive(Debug)]
pub(crate) struct WaitingRun {
    pub(crate) trace: NewTrace,
    pub(crate) claim: Option<Claim>,
    answer: oneshot::Sender<Answer>,
}

/// Who waits in which project, and how many transactions are under way there.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    projects: Mutex<HashMap<ProjectId, ProjectQueue>>,
}

#[derive(Debug, Default)]
struct ProjectQueue {
    waiting: VecDeque<WaitingRun>,
    under_way: usize,
}

impl Gathering {
    /// Joins those who wait. True when nobody is coming to fetch them, so the caller has to send somebody.
    fn join(&self, project: ProjectId, run: WaitingRun) -> bool {
        let mut projects = self.projects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let queue = projects.entry(project).or_default();
        queue.waiting.push_back(run);
        let free = queue.under_way < AT_ONCE;
        queue.under_way += usize::from(free);
        free
    }

    /// Takes those who can go together. None when nobody waits; the one who asked is then done.
    fn take(&self, project: ProjectId) -> Option<Vec<WaitingRun>> {
        let mut projects = self.projects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let queue = projects.get_mut(&project)?;
        let mut together: Vec<WaitingRun> = Vec::new();
        let mut bytes = 0;
        while let Some(next) = queue.waiting.front() {
            bytes += next.trace.body.stored_length();
            let full = together.len() == MOST_RUNS || (bytes > MOST_BYTES && !together.is_empty());
            if full || together.iter().any(|other| clash(other, next)) {
                break;
            }
            together.extend(queue.waiting.pop_front());
        }
        if together.is_empty() {
            queue.under_way = queue.under_way.saturating_sub(1);
            if queue.under_way == 0 {
                projects.remove(&project);
            }
            return None;
        }
        Some(together)
    }

    /// After a panic on the way. Those who wait are let go, and told that the store is unavailable, rather
    /// than left to wait for somebody who is not coming.
    fn give_up(&self, project: ProjectId) {
        let mut projects = self.projects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        projects.remove(&project);
    }
}

/// Notices that a task ended by a panic.
struct OnPanic<'a>(&'a ProjectCtx);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.gathering.give_up(self.0.project);
        }
    }
}

/// The same call twice, which one statement cannot store.
fn clash(one: &WaitingRun, other: &WaitingRun) -> bool {
    let same_key = match (&one.claim, &other.claim) {
        (Some(one), Some(other)) => one.key == other.key,
        _ => false,
    };
    same_key || one.trace.trace_id == other.trace.trace_id
}

impl ProjectCtx {
    /// Stores a run with its state, its body and its review: all of it, once, or nothing.
    pub async fn record_trace(&self, trace: &NewTrace, claim: Option<&Claim>) -> Answer {
        let (answer, answered) = oneshot::channel();
        let run = WaitingRun { trace: trace.clone(), claim: claim.cloned(), answer };
        if self.gathering.join(self.project, run) {
            self.send_for_them();
        }
        // The sender is dropped unanswered only when the process is ending.
        answered.await.unwrap_or_else(|_| Err(StoreError::Unavailable(sqlx::Error::PoolClosed)))
    }

    /// A task of its own: a client that goes away must not leave the others standing.
    #[expect(clippy::disallowed_methods, reason = "ends by itself with the last one who waits")]
    fn send_for_them(&self) {
        let project = self.clone();
        tokio::spawn(async move {
            let _on_panic = OnPanic(&project);
            while let Some(together) = project.gathering.take(project.project) {
                project.carry(together).await;
            }
        });
    }

    async fn carry(&self, mut together: Vec<WaitingRun>) {
        // In one order everywhere, so that two transactions never wait for each other.
        together.sort_by_key(|run| run.trace.trace_id);
        let stored = match together.len() {
            1 => Ok(vec![None]),
            _ => self.record_together(&together).await,
        };
        // Those who are not stored are tried alone, but not for long where nothing can be reached.
        let mut unreachable = stored.as_ref().is_err_and(StoreError::is_unreachable);
        let stored = stored.unwrap_or_else(|_| vec![None; together.len()]);
        for (run, recorded) in together.into_iter().zip(stored) {
            let answer = match recorded {
                Some(recorded) => Ok(Replay::fresh(recorded)),
                None if unreachable => Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)),
                None => self.record_alone(&run.trace, run.claim.as_ref()).await,
            };
            unreachable |= answer.as_ref().is_err_and(StoreError::is_unreachable);
            let _ = run.answer.send(answer);
        }
    }

    /// One transaction for all. None for those whose idempotency key was used before. After an error each
    /// is tried alone under the same id, so that a commit whose answer got lost stores nothing twice.
    async fn record_together(&self, together: &[WaitingRun]) -> Result<Vec<Option<Recorded>>, StoreError> {
        let mut transaction = self.ingest().await?;
        let claims = together.iter().filter_map(|p| p.claim.as_ref().map(|claim| (claim, p.trace.outcome())));
        let free = self.claim_many(&mut transaction, claims.collect()).await?;
        let is_free = |claim: &Option<Claim>| claim.as_ref().is_none_or(|claim| free.contains(&claim.key));
        let traces: Vec<&NewTrace> =
            together.iter().filter(|run| is_free(&run.claim)).map(|run| &run.trace).collect();
        self.insert_traces(&mut transaction, &traces).await?;
        self.commit(transaction).await?;
        let outcome = |run: &WaitingRun| is_free(&run.claim).then(|| run.trace.outcome());
        Ok(together.iter().map(outcome).collect())
    }
}
