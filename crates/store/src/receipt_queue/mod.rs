//! Receipts that are not stored yet: the bounded queue of one process.
//!
//! No I/O: `receipts/writer.rs` takes batches from here and reports what became of them. There is at most one writer, so
//! receipts are settled (stored or given up) in the order in which they were accepted, and two counters are enough to wait
//! for a receipt.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reflect_rules::receipts::SETTLED_AFTER;
use reflect_types::{Fate, KeyId, MemoryId, ProjectId, RetrievalId};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use crate::ids::SpaceId;

/// More receipts are refused: the database is too slow for them.
const MAX_RECEIPTS: usize = 4096;
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Receipts in one transaction.
const MAX_BATCH: usize = 256;
const MAX_BATCH_BYTES: usize = 2 * 1024 * 1024;
/// The writer waits this long for further receipts, unless a reader needs those that are there.
const LINGER: Duration = Duration::from_millis(25);
/// After a failed write, the next receipt is accepted this much later, to try again.
const TRIAL_PAUSE: Duration = Duration::from_secs(1);

/// A receipt: the query, the candidates and what was served.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// Its id. It contains the time of the retrieval.
    pub retrieval_id: RetrievalId,
    /// The key of the caller.
    pub key_id: KeyId,
    /// The searched space. `None` for a search by words.
    pub space: Option<SpaceId>,
    /// The query.
    pub task: String,
    /// Its digest, which identifies runs for the same task.
    pub task_digest: [u8; 32],
    /// The parameters.
    pub parameters: Value,
    /// All candidates, the served ones first, in rank order.
    pub memory_ids: Vec<MemoryId>,
    /// Their similarities.
    pub similarities: Vec<f32>,
    /// The utilities that they were ranked by.
    pub utilities: Vec<f32>,
    /// The fate of each.
    pub fates: Vec<Fate>,
    /// How many are served.
    pub served: usize,
    /// Whether the search was degraded.
    pub degraded: bool,
    /// Whether it is a holdout: nothing is served.
    pub held_out: bool,
    /// Duration of the embedding, in microseconds.
    pub embed_us: i32,
    /// Duration of search and ranking, in microseconds.
    pub search_us: i32,
}

impl Receipt {
    /// The memories that are served.
    pub fn served_ids(&self) -> &[MemoryId] {
        self.memory_ids.get(..self.served).unwrap_or(&self.memory_ids)
    }

    /// About how much memory it takes.
    fn size(&self) -> usize {
        const LINE: usize = 32;
        let parameters = serde_json::to_string(&self.parameters).map_or(0, |text| text.len());
        size_of::<Self>() + self.task.len() + parameters + LINE * self.memory_ids.len()
    }
}

/// Why a receipt was not accepted. The response says so, and a run that names it moves no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptRefusal {
    /// The last write failed.
    #[error("receipts cannot be written to the database now")]
    Unavailable,
    /// Too many receipts wait.
    #[error("too many receipts wait to be written to the database")]
    QueueFull,
}

/// A receipt that waits for its transaction.
pub(crate) struct QueuedReceipt {
    pub(crate) project: ProjectId,
    pub(crate) receipt: Receipt,
    /// When it was accepted. Its id was made immediately before.
    pub(crate) accepted_at: Instant,
    /// Present if a request waits for the outcome. Dropped without a message if the receipt is given up.
    pub(crate) stored: Option<oneshot::Sender<()>>,
    bytes: usize,
}

/// What the caller has to do after a receipt was accepted.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// Start a writer: none is running.
    pub(crate) start_writer: bool,
    /// Wait for this message, because earlier writes failed. Without it the receipt is not stored.
    pub(crate) trial: Option<oneshot::Receiver<()>>,
}

/// The queue of one process.
#[derive(Default)]
pub(crate) struct ReceiptQueue {
    state: Mutex<QueueState>,
    /// A reader needs what is in the queue.
    flush_now: Notify,
    /// Receipts were settled.
    changed: Notify,
}

/// Without the receipts, which contain tasks.
impl fmt::Debug for ReceiptQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceiptQueue").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<QueuedReceipt>,
    bytes: usize,
    /// How many receipts were accepted, and how many of them are stored or given up.
    accepted: u64,
    settled: u64,
    /// The number of the last accepted receipt of each project with unsettled ones.
    last_of: HashMap<ProjectId, u64>,
    is_writing: bool,
    /// Set while writes fail: when a receipt is accepted as a trial.
    next_trial: Option<Instant>,
}

impl ReceiptQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a receipt. While writes fail, receipts are refused, except one from time to time as a trial.
    pub(crate) fn accept(
        &self,
        project: ProjectId,
        receipt: Receipt,
        now: Instant,
    ) -> Result<Accepted, ReceiptRefusal> {
        let bytes = receipt.size();
        let mut state = self.lock();
        let is_trial = match state.next_trial {
            // While the writer tries again, its own receipts are the trial.
            Some(next) if state.is_writing || now < next => return Err(ReceiptRefusal::Unavailable),
            next => next.is_some(),
        };
        if state.waiting.len() >= MAX_RECEIPTS || state.bytes + bytes > MAX_BYTES {
            return Err(ReceiptRefusal::QueueFull);
        }
        let (stored, trial) = match is_trial {
            true => {
                state.next_trial = Some(now + TRIAL_PAUSE);
                let (stored, trial) = oneshot::channel();
                (Some(stored), Some(trial))
            }
            false => (None, None),
        };
        state.waiting.push_back(QueuedReceipt { project, receipt, accepted_at: now, stored, bytes });
        state.bytes += bytes;
        state.accepted += 1;
        let number = state.accepted;
        state.last_of.insert(project, number);
        let start_writer = !state.is_writing;
        state.is_writing = true;
        report(&state);
        Ok(Accepted { start_writer, trial })
    }

    /// Waits for further receipts, so that one transaction stores several.
    pub(crate) async fn linger(&self) {
        let is_full = self.lock().waiting.len() >= MAX_BATCH;
        if !is_full {
            // Both outcomes mean that it is time to write.
            let _ = tokio::time::timeout(LINGER, self.flush_now.notified()).await;
        }
    }

    /// Takes the next batch. `None` if the queue is empty: the writer must then end.
    pub(crate) fn take(&self) -> Option<Vec<QueuedReceipt>> {
        let mut state = self.lock();
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(next) = state.waiting.front() {
            bytes += next.bytes;
            if batch.len() == MAX_BATCH || (bytes > MAX_BATCH_BYTES && !batch.is_empty()) {
                break;
            }
            batch.extend(state.waiting.pop_front());
        }
        if batch.is_empty() {
            state.is_writing = false;
            return None;
        }
        state.bytes -= batch.iter().map(|queued| queued.bytes).sum::<usize>();
        Some(batch)
    }

    /// Notes that the receipts of the last batch are stored or given up.
    pub(crate) fn settle(&self, receipts: usize) {
        let mut state = self.lock();
        state.settled += receipts as u64;
        let settled = state.settled;
        state.last_of.retain(|_, last| *last > settled);
        report(&state);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Notes that a write failed: receipts are refused until one succeeds. Returns whether writes succeeded before.
    pub(crate) fn note_failure(&self, now: Instant) -> bool {
        self.lock().next_trial.replace(now + TRIAL_PAUSE).is_none()
    }

    /// Notes that a write succeeded. Returns whether writes failed before.
    pub(crate) fn note_success(&self) -> bool {
        self.lock().next_trial.take().is_some()
    }

    /// Gives up everything after a panic of the writer, so that no reader waits in vain.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        *state = QueueState { accepted: state.accepted, settled: state.accepted, ..QueueState::default() };
        drop(state);
        self.changed.notify_waiters();
    }

    /// Returns when all receipts of a project that this process has accepted are stored or given up.
    pub(crate) async fn flush(&self, project: ProjectId) {
        let last = self.lock().last_of.get(&project).copied();
        if let Some(last) = last {
            self.wait_until_settled(last).await;
        }
    }

    /// The same for all projects.
    pub(crate) async fn flush_all(&self) {
        let last = self.lock().accepted;
        self.wait_until_settled(last).await;
    }

    async fn wait_until_settled(&self, number: u64) {
        self.flush_now.notify_one();
        let settled = async {
            loop {
                // Created before the check, so that no notification is missed in between.
                let changed = self.changed.notified();
                if self.settled() >= number {
                    return;
                }
                changed.await;
            }
        };
        // The writer gives up earlier. The limit is for a writer that ended with its runtime.
        let _ = tokio::time::timeout(SETTLED_AFTER, settled).await;
    }

    fn settled(&self) -> u64 {
        self.lock().settled
    }
}

fn report(state: &QueueState) {
    metrics::gauge!("reflect_receipts_pending").set((state.accepted - state.settled) as f64);
}

#[cfg(test)]
mod tests;
