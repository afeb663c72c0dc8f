//! The outbox: takes runs over without ever waiting, and sees to it that one task sends them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reflect_types::TraceId;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::counters::{DeliveryCounters, FlushReport};
use super::queue::QueueLimits;
use super::state::State;
use super::worker;
use crate::NewTrace;
use crate::address::project_path;
use crate::wire::Transport;

/// The runs of one client and its clones that are on their way.
pub(crate) struct Outbox {
    pub(super) transport: Arc<Transport>,
    pub(super) path: String,
    state: Mutex<State>,
    worker: Mutex<Option<AbortHandle>>,
    /// Wakes the worker.
    pub(super) work: Notify,
    /// Wakes those who wait for runs to arrive.
    pub(super) news: Notify,
}

impl Outbox {
    pub(crate) fn new(transport: Arc<Transport>, project: &str, limits: QueueLimits) -> Self {
        Self {
            transport,
            path: project_path(project, &["traces", "batch"]),
            state: Mutex::new(State::new(limits)),
            worker: Mutex::new(None),
            work: Notify::new(),
            news: Notify::new(),
        }
    }

    /// Takes a run over. Nothing is waited for, and nothing fails: what is lost is counted.
    pub(crate) fn submit(self: &Arc<Self>, trace: &NewTrace) {
        match serde_json::to_vec(trace.body()) {
            Ok(body) => {
                self.state().put(trace.trace_id(), body.into(), trace.is_reviewed(), Instant::now());
                self.see_to_worker();
            }
            Err(error) => {
                tracing::error!(trace.id = %trace.trace_id(), %error, "a run cannot be written as JSON");
                let counters = &mut self.state().counters;
                counters.produced += 1;
                counters.dropped.unwritable += 1;
            }
        }
    }

    /// A run said nothing.
    pub(crate) fn count_empty(&self) {
        self.state().counters.empty += 1;
    }

    /// Whether a run is still here, or any.
    pub(crate) fn holds(&self, trace_id: Option<TraceId>) -> bool {
        let state = self.state();
        trace_id.map_or(state.queue.len() > 0, |id| state.queue.holds(id))
    }

    pub(crate) fn counters(&self) -> DeliveryCounters {
        self.state().totals()
    }

    /// Sends everything now, and tells what became of it.
    pub(crate) async fn flush(self: &Arc<Self>, timeout: Duration) -> FlushReport {
        self.settle_within(timeout).await;
        self.state().report()
    }

    /// Sends what is here now, and waits until it has arrived, is given up, or the time is over.
    pub(crate) async fn settle_within(self: &Arc<Self>, timeout: Duration) {
        let _awaited = Awaited::new(self);
        let newest = {
            let mut state = self.state();
            state.push = state.queue.len() > 0;
            state.queue.newest()
        };
        self.see_to_worker();
        let waiting = async {
            loop {
                // Made before the look, so that no news between the two is missed.
                let news = self.news.notified();
                if self.state().is_flushed(newest) {
                    return;
                }
                news.await;
            }
        };
        // What did not arrive in time is still pending, as the report says.
        let _ = tokio::time::timeout(timeout, waiting).await;
    }

    /// Wakes the task that sends, or starts it: it ends when there is nothing to send, or with its runtime.
    fn see_to_worker(self: &Arc<Self>) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.as_ref().is_some_and(|worker| !worker.is_finished()) {
            self.work.notify_one();
        // Outside a runtime nothing can be sent; the next call inside one will do it.
        } else if let Ok(runtime) = Handle::try_current() {
            *worker = Some(runtime.spawn(worker::work(self.clone())).abort_handle());
        }
    }

    /// Called by the worker when there is nothing to send: whether it may end.
    pub(super) fn may_end(&self) -> bool {
        // Under the lock of those who would start it, so that no run slips in between.
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

/// Somebody waits for the queue to be empty, so nothing lingers.
struct Awaited<'a>(&'a Outbox);

impl<'a> Awaited<'a> {
    fn new(outbox: &'a Outbox) -> Self {
        outbox.state().awaited += 1;
        Self(outbox)
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.state().awaited -= 1;
    }
}
