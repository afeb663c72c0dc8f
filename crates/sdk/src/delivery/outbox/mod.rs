//! The outbox: queues runs without waiting, and ensures that one task sends them.

mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reflect_types::TraceId;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::counters::{DeliveryCounters, FlushReport};
use super::queue::QueueLimits;
use super::state::State;
use crate::address::project_path;
use crate::new_trace::NewTrace;
use crate::wire::Transport;

/// The unsent runs of one client and its clones.
pub(crate) struct Outbox {
    pub(super) transport: Arc<Transport>,
    pub(super) path: String,
    state: Mutex<State>,
    worker: Mutex<Option<AbortHandle>>,
    /// Wakes the worker.
    pub(super) work: Notify,
    /// Wakes flushes when the state of the queue changes.
    pub(super) progress: Notify,
}

impl Outbox {
    pub(crate) fn new(transport: Arc<Transport>, project: &str, limits: QueueLimits) -> Self {
        Self {
            transport,
            path: project_path(project, &["traces", "batch"]),
            state: Mutex::new(State::new(limits)),
            worker: Mutex::new(None),
            work: Notify::new(),
            progress: Notify::new(),
        }
    }

    /// Queues a run without waiting. It never fails: lost runs are counted.
    pub(crate) fn submit(self: &Arc<Self>, trace: &NewTrace) {
        match serde_json::to_vec(trace.body()) {
            Ok(body) => {
                self.state().put(
                    trace.trace_id(),
                    body.into(),
                    trace.body().review.is_some(),
                    Instant::now(),
                );
                self.ensure_worker();
            }
            Err(error) => {
                tracing::error!(trace.id = %trace.trace_id(), %error, "a run cannot be serialised as JSON and is dropped");
                let counters = &mut self.state().counters;
                counters.produced += 1;
                counters.dropped.unwritable += 1;
            }
        }
    }

    /// Counts a run without content.
    pub(crate) fn count_empty(&self) {
        self.state().counters.empty += 1;
    }

    /// Whether the given run is still unsent, or any run if none is given.
    pub(crate) fn has_unsent(&self, trace_id: Option<TraceId>) -> bool {
        let state = self.state();
        trace_id.map_or(state.queue.len() > 0, |id| state.queue.contains(id))
    }

    pub(crate) fn counters(&self) -> DeliveryCounters {
        self.state().totals()
    }

    /// Sends all runs now, and reports the result.
    pub(crate) async fn flush(self: &Arc<Self>, timeout: Duration) -> FlushReport {
        self.drain(timeout).await;
        self.state().report()
    }

    /// Sends the runs that are queued now. Waits until they are stored or dropped, or until the timeout.
    pub(crate) async fn drain(self: &Arc<Self>, timeout: Duration) {
        let _guard = FlushGuard::new(self);
        let newest = {
            let mut state = self.state();
            state.push = state.queue.len() > 0;
            state.queue.newest()
        };
        self.ensure_worker();
        let waiting = async {
            loop {
                // Created before the check. Otherwise a notification in between would be lost.
                let progress = self.progress.notified();
                if self.state().is_flushed(newest) {
                    return;
                }
                progress.await;
            }
        };
        // Runs that were not sent in time are reported as pending.
        let _ = tokio::time::timeout(timeout, waiting).await;
    }

    /// Wakes the worker, or starts it. The worker stops when the queue is empty, or with its runtime.
    fn ensure_worker(self: &Arc<Self>) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.as_ref().is_some_and(|worker| !worker.is_finished()) {
            self.work.notify_one();
        // Without a runtime nothing can be sent. The next call within a runtime starts the worker.
        } else if let Ok(runtime) = Handle::try_current() {
            *worker = Some(runtime.spawn(worker::run(self.clone())).abort_handle());
        }
    }

    /// Whether the worker may stop. The worker calls it when the queue is empty.
    pub(super) fn may_stop(&self) -> bool {
        // `ensure_worker` takes the same lock, so a run cannot be queued between the check and the stop.
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = self.state().queue.len() == 0;
        if empty {
            *worker = None;
        }
        empty
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it exists, runs are sent without waiting for a full batch.
struct FlushGuard<'a>(&'a Outbox);

impl<'a> FlushGuard<'a> {
    fn new(outbox: &'a Outbox) -> Self {
        outbox.state().flushing += 1;
        Self(outbox)
    }
}

impl Drop for FlushGuard<'_> {
    fn drop(&mut self) {
        self.0.state().flushing -= 1;
    }
}
