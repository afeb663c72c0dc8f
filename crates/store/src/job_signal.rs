//! Wakes workers after a transaction that queued jobs was committed.
//!
//! The worker of this process is woken directly. Other processes get a notification: never inside the transaction that
//! queues jobs, because Postgres commits notifying transactions one after the other, and at most once per interval. A lost
//! notification is no error, because workers poll too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Notify;
use uuid::Uuid;

/// The shortest time between two notifications of this process.
const INTERVAL: Duration = Duration::from_millis(20);

/// Wakes the workers of all processes. Cheap to clone; clones share the state.
#[derive(Debug, Clone)]
pub(crate) struct JobSignal(Arc<SignalState>);

#[derive(Debug)]
struct SignalState {
    /// Identifies this process as the sender.
    sender: String,
    pool: PgPool,
    woken: Notify,
    /// Whether a task sends notifications.
    sending: AtomicBool,
    /// Whether jobs were queued since the last notification.
    pending: AtomicBool,
}

impl JobSignal {
    pub(crate) const CHANNEL: &'static str = "reflect_jobs";

    pub(crate) fn new(pool: PgPool) -> Self {
        Self(Arc::new(SignalState {
            sender: Uuid::now_v7().to_string(),
            pool,
            woken: Notify::new(),
            sending: AtomicBool::new(false),
            pending: AtomicBool::new(false),
        }))
    }

    /// Tells the workers of all processes that jobs were queued. Never fails and never waits.
    pub(crate) fn announce(&self) {
        self.wake();
        self.0.pending.store(true, Ordering::SeqCst);
        if !self.0.sending.swap(true, Ordering::SeqCst) {
            spawn_send(self.0.clone());
        }
    }

    /// Wakes the worker of this process.
    pub(crate) fn wake(&self) {
        self.0.woken.notify_one();
    }

    /// Returns when there may be a new job.
    pub(crate) async fn woken(&self) {
        self.0.woken.notified().await;
    }

    /// Whether a notification comes from this process, whose worker is already awake.
    pub(crate) fn is_own(&self, sender: &str) -> bool {
        self.0.sender == sender
    }
}

#[expect(clippy::disallowed_methods, reason = "ends when nothing is pending")]
fn spawn_send(state: Arc<SignalState>) {
    tokio::spawn(async move { state.send().await });
}

impl SignalState {
    async fn send(&self) {
        loop {
            self.pending.store(false, Ordering::SeqCst);
            let announced =
                sqlx::query(include_str!("../sql/maintenance/announce_jobs.sql")).bind(&self.sender);
            if let Err(error) = announced.execute(&self.pool).await {
                tracing::debug!(%error, "new jobs could not be announced");
            }
            tokio::time::sleep(INTERVAL).await;
            if self.pending.load(Ordering::SeqCst) {
                continue;
            }
            self.sending.store(false, Ordering::SeqCst);
            // Jobs that were queued between the two lines above have started no task.
            if !self.pending.load(Ordering::SeqCst) || self.sending.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }
}
