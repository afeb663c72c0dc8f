//! Claims of endpoints, and the order of deliveries.

use std::collections::HashSet;

use reflect_store::{Failures, WebhookChange};
use reflect_types::DeliveredType;

use super::*;

#[tokio::test]
async fn deliveries_about_one_subject_follow_each_other_and_others_do_not_wait() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated, MemoryQuarantined]).await, Uuid::now_v7());
    let (one, other) = (written(&project).await, written(&project).await);
    quarantine(&project, one, true).await;
    assert_eq!(claim(&store, worker).await, [webhook]);

    let first = next(&project, worker, webhook).await;
    let of = |due: &DueDelivery| due.event.as_ref().unwrap().data["memory_id"].clone();
    assert_eq!(first.iter().map(of).collect::<Vec<_>>(), [json!(one), json!(other)]);
    end(&project, webhook, &first[0], AttemptOutcome::Retry(MINUTE)).await;
    end(&project, webhook, &first[1], AttemptOutcome::Delivered).await;
    assert!(next(&project, worker, webhook).await.is_empty(), "the quarantine waits for the creation");

    end(&project, webhook, &first[0], AttemptOutcome::Delivered).await;
    let second = next(&project, worker, webhook).await;
    assert_eq!(second.iter().map(of).collect::<Vec<_>>(), [json!(one)]);
    assert_eq!(second[0].event.as_ref().unwrap().event_type, DeliveredType::Event(MemoryQuarantined));
    end(&project, webhook, &second[0], AttemptOutcome::GivenUp).await;

    // What is added now does not wait for a delivery that was given up.
    quarantine(&project, one, false).await;
    quarantine(&project, one, true).await;
    assert_eq!(next(&project, worker, webhook).await.len(), 1);
    let attempts: Vec<usize> = log(&project, webhook).await.iter().map(|row| row.attempts.len()).collect();
    assert_eq!(attempts, [2, 1, 1, 0]);
}

#[tokio::test]
async fn an_event_that_is_added_while_a_process_sends_makes_the_endpoint_due_again() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;
    end(&project, webhook, &due[0], AttemptOutcome::Delivered).await;

    written(&project).await;
    assert!(claim(&store, Uuid::now_v7()).await.is_empty(), "it is still claimed");
    project.admin().webhooks().sending().release(worker, webhook, true, None).await.unwrap();

    assert_eq!(claim(&store, worker).await, [webhook]);
    let due = next(&project, worker, webhook).await;
    end(&project, webhook, &due[0], AttemptOutcome::Delivered).await;
    project.admin().webhooks().sending().release(worker, webhook, true, None).await.unwrap();
    assert!(claim(&store, worker).await.is_empty());
}

#[tokio::test]
async fn a_webhook_that_is_enabled_while_its_claim_ends_is_due_at_once() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let webhooks = project.admin().webhooks();
    gone(&project, webhook).await;
    assert!(webhooks.sending().next(worker, webhook, 10, HOLD).await.unwrap().is_none());

    let enable = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
    webhooks.update(webhook, &enable, &given::actor()).await.unwrap();
    webhooks.sending().release(worker, webhook, false, None).await.unwrap();

    assert_eq!(claim(&store, worker).await, [webhook]);
    assert_eq!(next(&project, worker, webhook).await.len(), 1);
}

#[tokio::test]
async fn the_claim_of_a_dead_process_ends_and_it_cannot_continue() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = webhook(&project, &[MemoryCreated]).await;
    written(&project).await;
    let (dead, alive) = (Uuid::now_v7(), Uuid::now_v7());
    assert_eq!(claim(&store, dead).await, [webhook]);
    assert!(claim(&store, alive).await.is_empty());

    let later = "update webhook_queue set due_at = now() where held_by is not null";
    sqlx::query(later).execute(&mut db.superuser().await).await.unwrap();

    assert_eq!(claim(&store, alive).await, [webhook]);
    let sending = project.admin().webhooks().sending();
    assert!(sending.next(dead, webhook, 10, HOLD).await.unwrap().is_none());
    sending.release(dead, webhook, true, None).await.unwrap();
    assert_eq!(next(&project, alive, webhook).await.len(), 1);
}

#[tokio::test]
async fn a_failing_endpoint_is_paused_and_new_events_do_not_end_the_pause() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;
    end(&project, webhook, &due[0], AttemptOutcome::Retry(MINUTE)).await;

    let sending = project.admin().webhooks().sending();
    sending.release(worker, webhook, true, Some(MINUTE)).await.unwrap();
    written(&project).await;

    assert!(claim(&store, worker).await.is_empty());
    let row = project.admin().webhooks().get(webhook).await.unwrap();
    assert!(row.failures == 1 && row.failing_since.is_some());
}

#[tokio::test]
async fn what_a_process_learns_about_an_address_does_not_count_for_the_next_address() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;

    let webhooks = project.admin().webhooks();
    let moved = WebhookChange { url: Some("https://new.example.com/".into()), ..WebhookChange::default() };
    webhooks.update(webhook, &moved, &given::actor()).await.unwrap();
    end(&project, webhook, &due[0], AttemptOutcome::Retry(MINUTE)).await;
    gone(&project, webhook).await;
    webhooks.sending().release(worker, webhook, true, Some(MINUTE)).await.unwrap();

    let row = webhooks.get(webhook).await.unwrap();
    assert!(row.enabled && row.failures == 0, "{row:?}");
    assert_eq!(claim(&store, Uuid::now_v7()).await, [webhook], "the change ended the claim and the pause");
}

#[tokio::test]
async fn a_webhook_that_was_enabled_since_its_last_failure_stays_enabled() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;
    end(&project, webhook, &due[0], AttemptOutcome::Retry(MINUTE)).await;

    let webhooks = project.admin().webhooks();
    let enable = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
    webhooks.update(webhook, &enable, &given::actor()).await.unwrap();
    let failures = Failures { count: 1, lasting: MINUTE };
    webhooks.disable(&target(webhook), failures, "every attempt has failed").await.unwrap();

    assert!(webhooks.get(webhook).await.unwrap().enabled);
}

#[tokio::test]
async fn the_day_of_retries_begins_again_when_a_webhook_is_enabled() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;
    assert_eq!(due[0].age, Duration::ZERO, "it was not tried yet");
    // Its attempt is that of 1970.
    end(&project, webhook, &due[0], AttemptOutcome::Retry(Duration::ZERO)).await;
    assert!(next(&project, worker, webhook).await[0].age > MINUTE);

    let enable = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
    project.admin().webhooks().update(webhook, &enable, &given::actor()).await.unwrap();
    claim(&store, worker).await;

    let due = next(&project, worker, webhook).await;
    assert!(due[0].attempts == 1 && due[0].age < MINUTE, "{due:?}");
}

#[tokio::test]
async fn an_event_of_a_newer_version_waits_for_it() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    written(&project).await;
    let newer = "update webhook_delivery set type = 1 << 20";
    sqlx::query(newer).execute(&mut db.superuser().await).await.unwrap();

    claim(&store, worker).await;

    assert!(next(&project, worker, webhook).await.is_empty());
    assert_eq!(log(&project, webhook).await[0].event_type, DeliveredType::Newer);
}

#[tokio::test]
async fn a_project_has_four_endpoints_in_work_and_does_not_keep_others_out() {
    let (db, store) = given::store().await;
    let (busy, other) = (given::project(&store, "p").await, given::project(&store, "q").await);
    for _ in 0..6 {
        webhook(&busy, &[MemoryCreated]).await;
    }
    written(&busy).await;
    assert_eq!(claim(&store, Uuid::now_v7()).await.len(), 4);
    assert!(claim(&store, Uuid::now_v7()).await.is_empty());

    // As if a thousand of its endpoints were due.
    let fill = "insert into webhook_queue (project_id, endpoint_id, due_at)
                select project_id, gen_random_uuid(), now() - interval '1 hour'
                from project, generate_series(1, 1000) where slug = 'p'";
    sqlx::query(fill).execute(&mut db.superuser().await).await.unwrap();
    let wanted = webhook(&other, &[MemoryCreated]).await;
    written(&other).await;

    assert_eq!(claim(&store, Uuid::now_v7()).await, [wanted]);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_claim_at_one_moment_get_different_endpoints() {
    let (_db, store) = given::store().await;
    for slug in ["p", "q"] {
        let project = given::project(&store, slug).await;
        for _ in 0..6 {
            webhook(&project, &[MemoryCreated]).await;
        }
        written(&project).await;
    }

    let mut claims = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let store = store.clone();
        claims.spawn(async move { claim(&store, Uuid::now_v7()).await });
    }
    let claimed: Vec<WebhookId> = claims.join_all().await.into_iter().flatten().collect();

    let distinct: HashSet<WebhookId> = claimed.iter().copied().collect();
    assert_eq!(distinct.len(), claimed.len(), "two processes have the same endpoint");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_are_stored_at_the_same_time_have_different_positions_and_none_is_lost() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated, MemoryQuarantined]).await, Uuid::now_v7());
    claim(&store, worker).await;

    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let project = project.clone();
        writers.spawn(async move {
            for _ in 0..10 {
                let memory = written(&project).await;
                quarantine(&project, memory, true).await;
            }
        });
    }
    let mut delivered = 0;
    while delivered < 80 {
        claim(&store, worker).await;
        for due in next(&project, worker, webhook).await {
            end(&project, webhook, &due, AttemptOutcome::Delivered).await;
            delivered += 1;
        }
        project.admin().webhooks().sending().release(worker, webhook, true, None).await.unwrap();
    }
    writers.join_all().await;

    let (rows, positions): (i64, i64) =
        sqlx::query_as("select count(*), count(distinct position) from webhook_delivery where state = 1")
            .fetch_one(&mut db.superuser().await)
            .await
            .unwrap();
    assert_eq!((rows, positions), (80, 80));
}
