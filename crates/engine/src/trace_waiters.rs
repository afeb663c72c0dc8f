//! Requests that wait for traces, by trace. A finished trace wakes only the requests that wait for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reflect_types::{ProjectId, TraceId};
use tokio::sync::Notify;

/// The requests of this process that wait. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct TraceWaiters {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<HashMap<ProjectId, HashMap<TraceId, Waiter>>>,
    /// Whether notifications of other processes arrive.
    is_listening: AtomicBool,
}

/// The requests that wait for one trace.
#[derive(Debug, Default)]
struct Waiter {
    woken: Arc<Notify>,
    requests: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, HashMap<TraceId, Waiter>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits. Dropping it ends the wait.
#[derive(Debug)]
pub(crate) struct WaitingRequest {
    shared: Arc<Shared>,
    project: ProjectId,
    trace: TraceId,
    /// Notified when the trace may have changed.
    pub(crate) woken: Arc<Notify>,
}

impl TraceWaiters {
    /// Begins to wait for a trace.
    pub(crate) fn wait_for(&self, project: ProjectId, trace: TraceId) -> WaitingRequest {
        let mut waiting = self.shared.lock();
        let waiter = waiting.entry(project).or_default().entry(trace).or_default();
        waiter.requests += 1;
        let woken = waiter.woken.clone();
        drop(waiting);
        WaitingRequest { shared: self.shared.clone(), project, trace, woken }
    }

    /// Wakes the requests that wait for a trace.
    pub(crate) fn wake(&self, project: ProjectId, trace: TraceId) {
        if let Some(waiter) = self.shared.lock().get(&project).and_then(|traces| traces.get(&trace)) {
            waiter.woken.notify_waiters();
        }
    }

    /// Wakes the requests that wait for any trace of a project.
    pub(crate) fn wake_project(&self, project: ProjectId) {
        for waiter in self.shared.lock().get(&project).into_iter().flat_map(HashMap::values) {
            waiter.woken.notify_waiters();
        }
    }

    /// Wakes all requests: notifications may have been lost.
    pub(crate) fn wake_all(&self) {
        for waiter in self.shared.lock().values().flat_map(HashMap::values) {
            waiter.woken.notify_waiters();
        }
    }

    /// Notes whether notifications of other processes arrive.
    pub(crate) fn set_listening(&self, is_listening: bool) {
        self.shared.is_listening.store(is_listening, Ordering::Relaxed);
    }

    /// Whether notifications of other processes arrive. If not, requests have to poll.
    pub(crate) fn is_listening(&self) -> bool {
        self.shared.is_listening.load(Ordering::Relaxed)
    }
}

impl Drop for WaitingRequest {
    fn drop(&mut self) {
        let mut waiting = self.shared.lock();
        let Some(traces) = waiting.get_mut(&self.project) else { return };
        if let Some(waiter) = traces.get_mut(&self.trace) {
            waiter.requests -= 1;
            if waiter.requests == 0 {
                traces.remove(&self.trace);
            }
        }
        if traces.is_empty() {
            waiting.remove(&self.project);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn is_woken(request: &WaitingRequest, wake: impl FnOnce()) -> bool {
        let woken = request.woken.notified();
        wake();
        tokio::time::timeout(Duration::ZERO, woken).await.is_ok()
    }

    #[tokio::test]
    async fn only_the_requests_for_a_trace_are_woken() {
        let waiters = TraceWaiters::default();
        let (project, other) = (ProjectId::new(1), ProjectId::new(2));
        let trace = TraceId::generate();
        let request = waiters.wait_for(project, trace);

        assert!(is_woken(&request, || waiters.wake(project, trace)).await);
        assert!(!is_woken(&request, || waiters.wake(project, TraceId::generate())).await);
        assert!(!is_woken(&request, || waiters.wake(other, trace)).await);
        assert!(is_woken(&request, || waiters.wake_project(project)).await);
        assert!(!is_woken(&request, || waiters.wake_project(other)).await);
        assert!(is_woken(&request, || waiters.wake_all()).await);
    }

    #[test]
    fn a_request_that_ends_leaves_nothing_behind() {
        let waiters = TraceWaiters::default();
        let (project, trace) = (ProjectId::new(1), TraceId::generate());
        let (one, other) = (waiters.wait_for(project, trace), waiters.wait_for(project, trace));
        drop(one);
        assert!(Arc::ptr_eq(&waiters.shared.lock()[&project][&trace].woken, &other.woken));
        drop(other);
        assert!(waiters.shared.lock().is_empty());
    }
}
