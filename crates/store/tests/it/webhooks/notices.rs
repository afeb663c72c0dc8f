//! Announcements: runs that wait for a review, and changes of a state.

use reflect_store::{About, NewEvent, ReviewChange};
use reflect_test_support::TestDb;

use super::*;

fn needed() -> NewEvent {
    NewEvent { event_type: ReviewNeeded, subject: "review-queue".into(), data: json!({}) }
}

/// How many runs began to wait, and whether their announcement is due at some time.
async fn noted(db: &TestDb) -> (i32, bool) {
    sqlx::query_as("select waiting_runs, due_at is not null from webhook_queue where endpoint_id = $1")
        .bind(Uuid::nil())
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap()
}

/// Claims the announcement of waiting runs, as if its time had come.
async fn claim_notice(db: &TestDb, store: &Store, worker: Uuid) -> Option<i32> {
    let due = "update webhook_queue set due_at = now() where endpoint_id = $1 and due_at is not null";
    sqlx::query(due).bind(Uuid::nil()).execute(&mut db.superuser().await).await.unwrap();
    let due = store.jobs().webhooks().claim(worker, 100, HOLD).await.unwrap();
    due.into_iter().find(|due| due.webhook.is_none()).map(|due| due.waiting_runs)
}

#[tokio::test]
async fn runs_that_begin_to_wait_are_counted_and_announced_once() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[ReviewNeeded]).await, Uuid::now_v7());
    for task in ["a", "b"] {
        project.traces().record(&given::trace(task), None).await.unwrap();
    }
    let same = given::trace("c");
    for _ in 0..2 {
        project.traces().record(&same, None).await.unwrap();
    }
    let reviewed = given::reviewed("d");
    project.traces().record(&reviewed, None).await.unwrap();
    assert_eq!(noted(&db).await, (3, true), "a repeated run and a reviewed one do not count");
    assert!(claim(&store, worker).await.is_empty() && log(&project, webhook).await.is_empty());

    let began = claim_notice(&db, &store, worker).await.unwrap();
    project.traces().record(&given::trace("e"), None).await.unwrap();
    let announcements = project.admin().webhooks().announcements();
    announcements.end_waiting(worker, began, Some(needed()), MINUTE).await.unwrap();

    assert_eq!(events(&project, webhook).await, [ReviewNeeded]);
    assert_eq!(noted(&db).await, (1, true), "the run that came meanwhile is announced next time");
    // Another process would announce it again: its claim has ended.
    announcements.end_waiting(worker, 1, Some(needed()), MINUTE).await.unwrap();
    assert_eq!(events(&project, webhook).await.len(), 1);

    let withdrawn = ReviewChange {
        trace: reviewed.trace_id,
        instead_of: reviewed.review.as_ref().map(|review| review.review_id),
        review: None,
        lesson: None,
    };
    assert!(project.reviews().change(&withdrawn, &given::actor(), None).await.unwrap());
    assert_eq!(noted(&db).await.0, 2, "a run without its review waits again");
}

#[tokio::test]
async fn without_a_webhook_for_it_waiting_runs_are_not_counted() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    webhook(&project, &[MemoryCreated]).await;

    project.traces().record_many(vec![Some(given::trace("a")), Some(given::trace("b"))], None).await.unwrap();

    assert_eq!(noted(&db).await, (0, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_a_state_is_announced_by_one_process() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[WebhookEventType::HealthChanged]).await;
    let event = |before: Option<&String>| {
        let data = json!({ "before": before });
        Some(NewEvent { event_type: WebhookEventType::HealthChanged, subject: "health".into(), data })
    };
    for state in ["failing", "ok", "ok", "failing"] {
        let mut processes = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let (project, state) = (project.clone(), state.to_owned());
            processes.spawn(async move {
                let announcements = project.admin().webhooks().announcements();
                announcements.announce(About::Health, &state, event).await.unwrap()
            });
        }
        let announced = processes.join_all().await.into_iter().filter(|announced| *announced).count();
        assert!(announced <= 1, "{state} was announced {announced} times");
    }

    let mut before = Vec::new();
    for row in log(&project, webhook).await {
        let (_, event) = project.admin().webhooks().log().get(webhook, row.delivery_id).await.unwrap();
        before.push(event.unwrap().data["before"].clone());
    }
    assert_eq!(before, [json!(null), json!("failing"), json!("ok")]);
}

#[tokio::test]
async fn a_change_that_is_not_worth_an_event_is_remembered() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[WebhookEventType::JudgeStopped]).await;
    let announcements = project.admin().webhooks().announcements();

    assert!(!announcements.announce(About::Judge, &1, |_| None).await.unwrap());
    let mut before = None;
    let second = announcements.announce(About::Judge, &2, |earlier| {
        before = earlier.copied();
        None
    });

    assert!(!second.await.unwrap());
    assert_eq!(before, Some(1));
    assert!(log(&project, webhook).await.is_empty());
}
