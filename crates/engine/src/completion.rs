//! Waiting until a trace is completed or failed.

use std::time::Duration;

use reflect_store::{Store, StoreError};
use reflect_types::{ProjectId, TraceId};
use tokio::sync::broadcast;
use tokio::time::Instant;

/// The first poll comes soon, because most work is done soon; later polls are spaced out. Polling finds work of other
/// processes; work of this process is notified.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// A waiter that misses more notifications than this polls again.
const CAPACITY: usize = 64;

/// Wakes callers that wait for a trace which this process has finished.
#[derive(Debug, Clone)]
pub struct CompletionWaiters {
    store: Store,
    completed: broadcast::Sender<(ProjectId, TraceId)>,
}

impl CompletionWaiters {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, completed: broadcast::Sender::new(CAPACITY) }
    }

    /// Wakes the callers that wait for this trace.
    pub(crate) fn notify(&self, project: ProjectId, trace: TraceId) {
        // An error means that no caller waits.
        let _ = self.completed.send((project, trace));
    }

    /// Returns when the trace is completed or failed, or after `longest`. The trace need not exist yet: the client
    /// that waits may be ahead of the client that stores it.
    pub async fn wait_until_complete(
        &self,
        project: ProjectId,
        trace: TraceId,
        longest: Duration,
    ) -> Result<(), StoreError> {
        // Subscribe before the first poll, to miss no notification between the two.
        let mut completed = self.completed.subscribe();
        let store = self.store.project(project);
        let end = Instant::now() + longest;
        let mut pause = FIRST_PAUSE;
        while !store.traces().is_complete(trace).await? {
            let now = Instant::now();
            if now >= end {
                break;
            }
            let _ =
                tokio::time::timeout(pause.min(end - now), received(&mut completed, (project, trace))).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

/// Returns when this trace was notified, or when notifications were missed.
async fn received(completed: &mut broadcast::Receiver<(ProjectId, TraceId)>, run: (ProjectId, TraceId)) {
    while completed.recv().await.is_ok_and(|received| received != run) {}
}
