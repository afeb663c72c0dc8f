//! Change notifications: topics and ids of what changed in a project, never content.
//!
//! Changes are collected for a short time and published together through the database, after their transactions and
//! apart from them. A process that dies in between publishes nothing, so subscribers also poll from time to time.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reflect_store::{Store, StoreError};
use reflect_types::{ProjectId, TraceId};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::chain;
use crate::trace_waiters::TraceWaiters;

/// Changes within this time are published together.
const BATCH_TIME: Duration = Duration::from_millis(50);
/// With more ids than this, only their number is published.
const MOST_IDS: usize = 20;
/// A subscriber that falls further behind misses events.
const CAPACITY: usize = 256;
/// The pause before listening to the database is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The noun in the paths of the resources that changed.
pub type Topic = &'static str;

/// A change in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectEvent {
    /// The project.
    #[serde(rename = "p")]
    pub project: ProjectId,
    /// What changed; [`ProjectEvent::MISSED`] if that is not known.
    #[serde(rename = "t")]
    pub topic: String,
    /// The ids of what changed, if they are few.
    #[serde(rename = "i")]
    pub ids: Vec<Uuid>,
    /// The number of changes.
    #[serde(rename = "n")]
    pub count: u32,
}

impl ProjectEvent {
    /// The topic of an event that says that other events may have been lost.
    pub const MISSED: &'static str = "missed";
}

/// Ids and number of changes, by project and topic.
type Pending = BTreeMap<(ProjectId, Topic), (Vec<Uuid>, u32)>;

/// Collects changes of this process and delivers changes of all processes.
#[derive(Debug, Clone)]
pub struct EventBus {
    store: Store,
    shared: Arc<Shared>,
    /// Requests that wait for traces. Changes of traces wake them.
    waiters: TraceWaiters,
}

#[derive(Debug)]
struct Shared {
    pending: Mutex<Pending>,
    added: Notify,
    received: broadcast::Sender<Arc<ProjectEvent>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self { pending: Mutex::default(), added: Notify::new(), received: broadcast::Sender::new(CAPACITY) }
    }
}

impl Shared {
    fn add(&self, project: ProjectId, topic: Topic, id: Option<Uuid>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let (ids, count) = pending.entry((project, topic)).or_default();
        *count = count.saturating_add(1);
        if let Some(id) = id.filter(|id| ids.len() < MOST_IDS && !ids.contains(id)) {
            ids.push(id);
        }
        drop(pending);
        self.added.notify_one();
    }

    fn take(&self) -> Vec<ProjectEvent> {
        let pending = mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let event = |((project, topic), (ids, count)): ((ProjectId, Topic), _)| ProjectEvent {
            project,
            topic: topic.to_owned(),
            ids,
            count,
        };
        pending.into_iter().map(event).collect()
    }
}

impl EventBus {
    pub(crate) fn new(store: Store, waiters: TraceWaiters) -> Self {
        Self { store, shared: Arc::default(), waiters }
    }

    /// Notes that something changed. Never fails and never waits.
    pub fn publish(&self, project: ProjectId, topic: Topic, id: Option<Uuid>) {
        self.shared.add(project, topic, id);
        // Requests of this process need not wait for the way through the database.
        if let Some(id) = id {
            self.waiters.wake(project, TraceId::from_uuid(id));
        }
    }

    /// Receives the changes in all projects from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<ProjectEvent>> {
        self.shared.received.subscribe()
    }

    /// Publishes the changes of this process and delivers the changes of all processes, until `stop` is cancelled.
    pub async fn forward_notifications(&self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.send() => {}
            () = self.listen() => {}
        }
    }

    async fn send(&self) {
        loop {
            self.shared.added.notified().await;
            tokio::time::sleep(BATCH_TIME).await;
            let events: Vec<String> =
                self.shared.take().iter().filter_map(|event| serde_json::to_string(event).ok()).collect();
            if let Err(error) = self.store.notifications().notify(&events).await {
                tracing::debug!(error = chain(&error), "change notifications could not be published");
            }
        }
    }

    async fn listen(&self) {
        loop {
            if let Err(error) = self.listen_until_error().await {
                tracing::debug!(error = chain(&error), "change notifications cannot be received");
            }
            self.waiters.set_listening(false);
            self.report_missed();
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    async fn listen_until_error(&self) -> Result<(), StoreError> {
        let mut listener = self.store.notifications().listen().await?;
        self.waiters.set_listening(true);
        // What changed before this was not received.
        self.waiters.wake_all();
        loop {
            match listener.next().await? {
                Some(text) => {
                    if let Ok(event) = serde_json::from_str::<ProjectEvent>(&text) {
                        self.wake(&event);
                        // An error means that there is no subscriber.
                        let _ = self.shared.received.send(Arc::new(event));
                    }
                }
                None => self.report_missed(),
            }
        }
    }

    /// Wakes the requests that wait for a changed trace. Events of traces and of reviews have the ids of traces.
    fn wake(&self, event: &ProjectEvent) {
        if event.ids.len() >= MOST_IDS {
            return self.waiters.wake_project(event.project);
        }
        for id in &event.ids {
            self.waiters.wake(event.project, TraceId::from_uuid(*id));
        }
    }

    fn report_missed(&self) {
        let project = ProjectId::INSTALLATION;
        let topic = ProjectEvent::MISSED.to_owned();
        let missed = ProjectEvent { project, topic, ids: Vec::new(), count: 0 };
        let _ = self.shared.received.send(Arc::new(missed));
        self.waiters.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_published_together_and_fit_into_one_message() {
        let bus = Shared::default();
        let project = ProjectId::new(7);
        let same = Uuid::now_v7();
        bus.add(project, "reviews", Some(same));
        bus.add(project, "reviews", Some(same));
        for _ in 0..1000 {
            bus.add(project, "traces", Some(Uuid::now_v7()));
        }
        let events = bus.take();

        assert_eq!(events.len(), 2);
        assert_eq!(
            (events[0].topic.as_str(), events[0].ids.as_slice(), events[0].count),
            ("reviews", &[same][..], 2)
        );
        assert_eq!((events[1].ids.len(), events[1].count), (MOST_IDS, 1000));
        let longest = events.iter().map(|event| serde_json::to_string(event).unwrap().len()).max();
        assert!(longest < Some(8000), "Postgres accepts messages of less than 8000 bytes");
        assert!(bus.take().is_empty());
    }
}
