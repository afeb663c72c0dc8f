//! Waiting until a trace is completed or failed.

use std::sync::Arc;
use std::time::Duration;

use reflect_store::{Store, StoreError};
use reflect_types::{ProjectId, TraceId};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::trace_waiters::TraceWaiters;

/// A request looks again after this time, although it was not woken: the notification of a process that died is lost.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The same while notifications of other processes do not arrive at all. The first look comes soon, because most work is
/// done soon.
const FIRST_POLL: Duration = Duration::from_millis(20);
const LONGEST_POLL: Duration = Duration::from_millis(250);

/// Lets callers wait for traces.
#[derive(Debug, Clone)]
pub struct CompletionWaiters {
    store: Store,
    waiters: TraceWaiters,
    /// One look at a time: requests that wait must not take the connections of others, however many are woken at once.
    looks: Arc<Semaphore>,
}

impl CompletionWaiters {
    pub(crate) fn new(store: Store, waiters: TraceWaiters) -> Self {
        Self { store, waiters, looks: Arc::new(Semaphore::new(1)) }
    }

    /// Wakes the callers that wait for this trace.
    pub(crate) fn notify(&self, project: ProjectId, trace: TraceId) {
        self.waiters.wake(project, trace);
    }

    /// Returns when the trace is completed or failed, or after `longest`. The trace need not exist yet: the client
    /// that waits may be ahead of the client that stores it.
    pub async fn wait_until_complete(
        &self,
        project: ProjectId,
        trace: TraceId,
        longest: Duration,
    ) -> Result<(), StoreError> {
        let request = self.waiters.wait_for(project, trace);
        let end = Instant::now() + longest;
        let mut poll = FIRST_POLL;
        loop {
            // Created before the look, to miss no notification between the two.
            let woken = request.woken.notified();
            if self.is_complete(project, trace).await? {
                return Ok(());
            }
            let now = Instant::now();
            if now >= end {
                return Ok(());
            }
            let pause = if self.waiters.is_listening() { LONGEST_PAUSE } else { poll };
            let _ = tokio::time::timeout(pause.min(end - now), woken).await;
            poll = (poll * 2).min(LONGEST_POLL);
        }
    }

    async fn is_complete(&self, project: ProjectId, trace: TraceId) -> Result<bool, StoreError> {
        let Ok(_look) = tokio::time::timeout(LONGEST_PAUSE, self.looks.acquire()).await else {
            return Ok(false);
        };
        self.store.project(project).traces().is_complete(trace).await
    }
}
