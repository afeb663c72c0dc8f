//! The outbox: events are collected while a transaction works, and stored with their deliveries as its last statements.
//!
//! Last, because the queue rows of the endpoints stay locked until the commit. A project without endpoints for a type never
//! gets here: the statements that cause events say which types the project sends.

use std::time::Duration;

use reflect_types::{MemoryId, ProjectId, TraceId, WebhookEventType};
use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::StoreError;
use crate::ids::{DeliveryId, EventId, WebhookId};
use crate::transaction::PooledTransaction;

/// Runs that begin to wait within this time are announced together.
const WAITING_DELAY: Duration = Duration::from_secs(30);

/// An event. Its data has ids, words and numbers, no texts of runs or memories.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its type.
    pub event_type: WebhookEventType,
    /// What it is about. The events of one subject are delivered in order.
    pub subject: String,
    /// What happened.
    pub data: Value,
}

impl NewEvent {
    /// About a memory.
    pub(crate) fn about_memory(event_type: WebhookEventType, memory: MemoryId, data: Value) -> Self {
        Self { event_type, subject: subject_of(memory), data }
    }

    /// About the quarantine of a memory: `created` or `changed` says when it began.
    pub(crate) fn quarantined(memory: MemoryId, when: &'static str) -> Self {
        let data = json!({ "memory_id": memory, "when": when });
        Self::about_memory(WebhookEventType::MemoryQuarantined, memory, data)
    }
}

fn subject_of(memory: MemoryId) -> String {
    format!("memory:{memory}")
}

/// What a transaction sends when it is committed.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    events: Vec<NewEvent>,
    waiting_runs: i32,
}

impl Outgoing {
    /// Adds events of the types that the project sends (`types`).
    pub(crate) fn add(&mut self, types: i32, events: impl IntoIterator<Item = NewEvent>) {
        self.events.extend(events.into_iter().filter(|event| types & event.event_type.bit() != 0));
    }

    /// Counts runs that begin to wait for a review, if the project announces them.
    pub(crate) fn add_waiting(&mut self, types: i32, runs: usize) {
        if types & WebhookEventType::ReviewNeeded.bit() != 0 {
            self.waiting_runs = self.waiting_runs.saturating_add(i32::try_from(runs).unwrap_or(i32::MAX));
        }
    }

    /// Counts those of the stored runs that have no review. `stored` has with each run the types that the project sends.
    /// Returns the runs.
    pub(crate) fn add_stored(
        &mut self,
        stored: Vec<(TraceId, i32)>,
        unreviewed: impl Iterator<Item = TraceId>,
    ) -> Vec<TraceId> {
        let types = stored.first().map_or(0, |(_, types)| *types);
        let stored: Vec<TraceId> = stored.into_iter().map(|(trace, _)| trace).collect();
        if types != 0 {
            self.add_waiting(types, unreviewed.filter(|trace| stored.contains(trace)).count());
        }
        stored
    }

    /// Memories left quarantine in the transaction. One that was created in it is announced as it is at the end.
    pub(crate) fn release(&mut self, memories: &[MemoryId]) {
        for subject in memories.iter().copied().map(subject_of) {
            self.events.retain(|event| {
                event.event_type != WebhookEventType::MemoryQuarantined || event.subject != subject
            });
            for event in self.events.iter_mut().filter(|event| event.subject == subject) {
                if let Some(quarantined) = event.data.get_mut("quarantined") {
                    *quarantined = false.into();
                }
            }
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.events.is_empty() && self.waiting_runs == 0
    }
}

/// Deliveries to store, as columns.
#[derive(Default)]
pub(crate) struct NewDeliveries {
    ids: Vec<DeliveryId>,
    endpoints: Vec<WebhookId>,
    events: Vec<EventId>,
    types: Vec<i32>,
    subjects: Vec<String>,
    positions: Vec<i64>,
}

impl NewDeliveries {
    pub(crate) fn add(&mut self, endpoint: WebhookId, position: i64, event: &StoredEvent<'_>) -> DeliveryId {
        let id = Uuid::now_v7();
        self.ids.push(id);
        self.endpoints.push(endpoint);
        self.events.push(event.id);
        self.types.push(event.bit);
        self.subjects.push(event.subject.to_owned());
        self.positions.push(position);
        id
    }

    /// Stores them. The caller holds the locks of the queue rows.
    pub(crate) async fn insert(
        self,
        transaction: &mut PooledTransaction,
        project: ProjectId,
    ) -> Result<(), StoreError> {
        if self.ids.is_empty() {
            return Ok(());
        }
        sqlx::query(include_str!("../sql/webhooks/insert_deliveries.sql"))
            .bind(project)
            .bind(self.ids)
            .bind(self.endpoints)
            .bind(self.events)
            .bind(self.types)
            .bind(self.subjects)
            .bind(self.positions)
            .execute(&mut *transaction)
            .await?;
        Ok(())
    }
}

/// An event under its id and the number of its type.
pub(crate) struct StoredEvent<'a> {
    pub(crate) id: EventId,
    pub(crate) bit: i32,
    pub(crate) subject: &'a str,
    pub(crate) data: &'a Value,
}

pub(crate) async fn insert_events(
    transaction: &mut PooledTransaction,
    project: ProjectId,
    events: &[StoredEvent<'_>],
) -> Result<(), StoreError> {
    sqlx::query(include_str!("../sql/webhooks/insert_events.sql"))
        .bind(project)
        .bind(events.iter().map(|event| event.id).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.bit).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.subject).collect::<Vec<_>>())
        .bind(events.iter().map(|event| Json(event.data)).collect::<Vec<_>>())
        .execute(&mut *transaction)
        .await?;
    Ok(())
}

/// Stores what a transaction sends, as its last statements.
pub(crate) async fn store_outgoing(
    transaction: &mut PooledTransaction,
    project: ProjectId,
    outgoing: &Outgoing,
) -> Result<(), StoreError> {
    // Before the endpoints: its queue row is the first of the project in the order of locks.
    if outgoing.waiting_runs > 0 {
        sqlx::query(include_str!("../sql/webhooks/note_waiting.sql"))
            .bind(project)
            .bind(outgoing.waiting_runs)
            .bind(WAITING_DELAY.as_secs_f64())
            .execute(&mut *transaction)
            .await?;
    }
    if outgoing.events.is_empty() {
        return Ok(());
    }
    let types = outgoing.events.iter().fold(0, |types, event| types | event.event_type.bit());
    let receivers = sqlx::query_as(include_str!("../sql/webhooks/lock_receivers.sql"));
    let receivers: Vec<(WebhookId, i32, i64)> =
        receivers.bind(project).bind(types).fetch_all(&mut *transaction).await?;
    let received = receivers.iter().fold(0, |all, (_, types, _)| all | types);
    let wanted = outgoing.events.iter().filter(|event| received & event.event_type.bit() != 0);
    let events: Vec<StoredEvent<'_>> = wanted
        .map(|event| {
            let (bit, subject, data) = (event.event_type.bit(), event.subject.as_str(), &event.data);
            StoredEvent { id: Uuid::now_v7(), bit, subject, data }
        })
        .collect();
    if events.is_empty() {
        return Ok(());
    }
    insert_events(transaction, project, &events).await?;
    let mut deliveries = NewDeliveries::default();
    for (endpoint, types, last_position) in receivers {
        let received = events.iter().filter(|event| types & event.bit != 0);
        for (event, position) in received.zip(last_position + 1..) {
            deliveries.add(endpoint, position, event);
        }
    }
    deliveries.insert(transaction, project).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event_type: WebhookEventType) -> NewEvent {
        NewEvent { event_type, subject: "s".into(), data: Value::Null }
    }

    #[test]
    fn events_that_no_endpoint_receives_are_not_collected() {
        let mut outgoing = Outgoing::default();
        outgoing.add(0, [event(WebhookEventType::MemoryCreated)]);
        outgoing.add_waiting(WebhookEventType::MemoryCreated.bit(), 3);
        assert!(outgoing.is_empty());

        let both = [event(WebhookEventType::MemoryCreated), event(WebhookEventType::MemoryQuarantined)];
        outgoing.add(WebhookEventType::MemoryQuarantined.bit(), both);
        outgoing.add_waiting(WebhookEventType::ReviewNeeded.bit(), usize::MAX);

        assert_eq!(outgoing.events, [event(WebhookEventType::MemoryQuarantined)]);
        assert_eq!(outgoing.waiting_runs, i32::MAX);
    }

    #[test]
    fn a_memory_that_others_release_at_once_is_announced_without_its_quarantine() {
        let (released, other) = (MemoryId::generate(), MemoryId::generate());
        let created = |memory| {
            let data = json!({ "quarantined": true });
            NewEvent::about_memory(WebhookEventType::MemoryCreated, memory, data)
        };
        let mut outgoing = Outgoing::default();
        for memory in [released, other] {
            outgoing.add(i32::MAX, [created(memory), NewEvent::quarantined(memory, "created")]);
        }

        outgoing.release(&[released]);

        assert_eq!(outgoing.events.len(), 3);
        assert_eq!(outgoing.events[0].data["quarantined"], json!(false));
        assert_eq!(outgoing.events[1..], [created(other), NewEvent::quarantined(other, "created")]);
    }
}
