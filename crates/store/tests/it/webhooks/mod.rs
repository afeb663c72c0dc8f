//! Webhooks: events are stored with their causes, and deliveries follow each other.

mod endpoints;
mod notices;
mod sending;

use std::time::Duration;

use reflect_store::{
    AttemptOutcome, CurationRequest, DeliveryAttempt, DeliveryRow, DueDelivery, Failures, FinishedAttempt,
    LessonPlan, MemoryChange, MemoryState, NewMemoryRow, NewWebhook, ProjectCtx, RoundOutcome, Store,
    WebhookId, WebhookTarget,
};
use reflect_types::WebhookEventType::{MemoryCreated, MemoryQuarantined, ReviewNeeded};
use reflect_types::{KeyId, MemoryId, MemoryOrigin, Trust, WebhookEventType};
use serde_json::json;
use uuid::Uuid;

use crate::given;

const HOLD: Duration = Duration::from_secs(30);
const MINUTE: Duration = Duration::from_secs(60);
const ADDRESS: &str = "https://hooks.example.com/";

async fn webhook(project: &ProjectCtx, types: &[WebhookEventType]) -> WebhookId {
    let new = NewWebhook {
        webhook_id: Uuid::now_v7(),
        url: ADDRESS.into(),
        description: String::new(),
        types: types.to_vec(),
        include_texts: false,
        secret: "whsec_c2VjcmV0".to_owned().into(),
    };
    project.admin().webhooks().create(&new, &given::actor(), None).await.unwrap().webhook_id
}

fn lesson(quarantined: bool) -> NewMemoryRow {
    NewMemoryRow {
        memory_id: MemoryId::generate(),
        origin: MemoryOrigin::Manual,
        task: "sort".into(),
        reflection: "compare twice".into(),
        summary: "compare twice".into(),
        guidance: String::new(),
        key_mistake: String::new(),
        correct_action: String::new(),
        applicable_tools: Vec::new(),
        tools_used: Vec::new(),
        success: None,
        metadata: json!({}),
        model: None,
        prompt_version: None,
        note: None,
        replaced: None,
        quarantined,
        flags: Vec::new(),
        trust: Trust::Normal,
        author_key: KeyId::generate(),
        vectors: Vec::new(),
        used: None,
        expected: None,
        lesson: LessonPlan::default(),
    }
}

/// Stores a lesson that a person wrote.
async fn written(project: &ProjectCtx) -> MemoryId {
    let memory = lesson(false);
    project.curation().create(&memory, None, &given::actor(), None).await.unwrap();
    memory.memory_id
}

async fn quarantine(project: &ProjectCtx, memory: MemoryId, quarantined: bool) {
    let request = CurationRequest {
        kind: "memory.test",
        summary: json!({}),
        memories: &[memory],
        part_of: None,
        texts: &[],
        regroups: false,
        answers: None,
    };
    let decide = |_: &[MemoryState]| Ok(vec![(memory, MemoryChange::Quarantined(quarantined))]);
    project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
}

/// The deliveries of a webhook, oldest first.
async fn log(project: &ProjectCtx, webhook: WebhookId) -> Vec<DeliveryRow> {
    let mut rows = project.admin().webhooks().log().list(webhook, None, None, 1000).await.unwrap();
    rows.reverse();
    rows
}

/// The types of the events of a webhook, oldest first.
async fn events(project: &ProjectCtx, webhook: WebhookId) -> Vec<WebhookEventType> {
    log(project, webhook).await.iter().map(|row| row.event_type.event().unwrap()).collect()
}

/// Claims everything that is due, and returns the claimed webhooks.
async fn claim(store: &Store, worker: Uuid) -> Vec<WebhookId> {
    let due = store.jobs().webhooks().claim(worker, 100, HOLD).await.unwrap();
    due.into_iter().filter_map(|due| due.webhook).collect()
}

async fn next(project: &ProjectCtx, worker: Uuid, webhook: WebhookId) -> Vec<DueDelivery> {
    let sending = project.admin().webhooks().sending();
    sending.next(worker, webhook, 100, HOLD).await.unwrap().map(|(_, due)| due).unwrap_or_default()
}

async fn end(project: &ProjectCtx, webhook: WebhookId, due: &DueDelivery, outcome: AttemptOutcome) {
    let succeeded = outcome == AttemptOutcome::Delivered;
    let attempt = DeliveryAttempt {
        at: chrono::DateTime::UNIX_EPOCH,
        status: Some(if succeeded { 204 } else { 500 }),
        error: (!succeeded).then(|| "the receiver answered 500".to_owned()),
        milliseconds: 7,
    };
    let finished = FinishedAttempt { delivery_id: due.delivery_id, outcome, attempt };
    let round = if succeeded { RoundOutcome::Succeeded } else { RoundOutcome::Failed };
    project.admin().webhooks().sending().record(&target(webhook), &[finished], round).await.unwrap();
}

/// A webhook as a process that sends has read it.
fn target(webhook: WebhookId) -> WebhookTarget {
    WebhookTarget {
        webhook_id: webhook,
        url: ADDRESS.into(),
        include_texts: false,
        secrets: Vec::new(),
        failures: 0,
    }
}

/// The receiver says that it does not exist any more.
async fn gone(project: &ProjectCtx, webhook: WebhookId) {
    project.admin().webhooks().disable(&target(webhook), Failures::default(), "410").await.unwrap();
}

#[tokio::test]
async fn an_event_is_stored_for_the_webhooks_that_receive_its_type() {
    let (_db, store) = given::store().await;
    let (project, other) = (given::project(&store, "p").await, given::project(&store, "q").await);
    let created = webhook(&project, &[MemoryCreated]).await;
    let both = webhook(&project, &[MemoryCreated, MemoryQuarantined]).await;
    let elsewhere = webhook(&other, &[MemoryCreated]).await;

    let memory = written(&project).await;
    quarantine(&project, memory, true).await;

    assert_eq!(events(&project, created).await, [MemoryCreated]);
    assert_eq!(events(&project, both).await, [MemoryCreated, MemoryQuarantined]);
    assert!(log(&other, elsewhere).await.is_empty());
    let row = &log(&project, created).await[0];
    let (_, event) = project.admin().webhooks().log().get(created, row.delivery_id).await.unwrap();
    let data = event.unwrap().data;
    assert_eq!((row.subject.clone(), data["memory_id"].clone()), (format!("memory:{memory}"), json!(memory)));
    assert!(!data.to_string().contains("compare"), "texts are not stored: {data}");
}

#[tokio::test]
async fn a_transaction_that_fails_sends_nothing() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[MemoryCreated]).await;
    let memory = lesson(false);
    project.curation().create(&memory, None, &given::actor(), None).await.unwrap();

    let again = project.curation().create(&memory, None, &given::actor(), None).await;

    assert!(again.is_err());
    assert_eq!(log(&project, webhook).await.len(), 1);
}

#[tokio::test]
async fn a_learned_memory_and_each_entry_into_quarantine_is_an_event() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[MemoryCreated, MemoryQuarantined]).await;
    let run = given::reviewed("a");
    project.traces().record(&run, None).await.unwrap();
    let review = run.review.as_ref().unwrap().review_id;

    let memory = lesson(true);
    project.learning().finish(run.trace_id, review, &memory).await.unwrap().unwrap();
    for quarantined in [false, true, true] {
        quarantine(&project, memory.memory_id, quarantined).await;
    }

    assert_eq!(events(&project, webhook).await, [MemoryCreated, MemoryQuarantined, MemoryQuarantined]);
    let rows = log(&project, webhook).await;
    assert!(rows.iter().all(|row| row.subject == rows[0].subject));
    assert!(rows[0].next_at.is_some() && rows[1].next_at.is_none() && rows[2].next_at.is_none());
}

#[tokio::test]
async fn a_disabled_webhook_gets_no_events_and_keeps_what_waits() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[MemoryCreated]).await;
    written(&project).await;

    gone(&project, webhook).await;
    written(&project).await;

    let worker = Uuid::now_v7();
    assert_eq!(log(&project, webhook).await.len(), 1);
    assert_eq!(claim(&store, worker).await, [webhook]);
    let sending = project.admin().webhooks().sending();
    assert!(sending.next(worker, webhook, 10, HOLD).await.unwrap().is_none());
    sending.release(worker, webhook, false, None).await.unwrap();
    assert!(claim(&store, worker).await.is_empty(), "it is not due while it is disabled");

    let enable = reflect_store::WebhookChange { enabled: Some(true), ..Default::default() };
    let row = project.admin().webhooks().update(webhook, &enable, &given::actor()).await.unwrap();
    assert_eq!((row.enabled, row.disabled_reason), (true, None));
    assert_eq!(claim(&store, worker).await, [webhook]);
    assert_eq!(next(&project, worker, webhook).await.len(), 1);
}

#[tokio::test]
async fn the_log_is_swept_after_two_weeks_except_for_what_an_enabled_webhook_still_gets() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[MemoryCreated]).await;
    for _ in 0..3 {
        written(&project).await;
    }
    let mut connection = db.superuser().await;
    for age in [
        "update webhook_delivery set delivery_id = uuid_at(now() - interval '16 days'), state = 1, next_at = null,
                                     finished_at = now()
         where position = 1",
        "update webhook_delivery set delivery_id = uuid_at(now() - interval '15 days') where position = 2",
        "update webhook_event set event_id = uuid_at(now() - interval '17 days')
         where event_id = (select event_id from webhook_event order by event_id limit 1)",
    ] {
        sqlx::query(age).execute(&mut connection).await.unwrap();
    }

    store.maintenance().run().await.unwrap();
    let enabled = log(&project, webhook).await.len();
    gone(&project, webhook).await;
    store.maintenance().run().await.unwrap();

    assert_eq!((enabled, log(&project, webhook).await.len()), (2, 1));
    let events: i64 =
        sqlx::query_scalar("select count(*) from webhook_event").fetch_one(&mut connection).await.unwrap();
    assert_eq!(events, 2);
}
