//! Endpoints: limits, secrets, tests and redelivery.

use reflect_store::{EncryptionKeys, StoreError, StoreSettings, WebhookChange};
use reflect_test_support::TestDb;
use reflect_types::{DeliveredType, DeliveryState};
use secrecy::{ExposeSecret, SecretString};

use super::*;

async fn types(db: &TestDb) -> i32 {
    sqlx::query_scalar("select webhook_types from project")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_project_knows_which_types_its_webhooks_receive() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhooks = project.admin().webhooks();
    let (one, other) = (webhook(&project, &[MemoryCreated]).await, webhook(&project, &[ReviewNeeded]).await);
    assert_eq!(types(&db).await, 3);

    let change = WebhookChange { types: Some(vec![MemoryQuarantined]), ..WebhookChange::default() };
    webhooks.update(one, &change, &given::actor()).await.unwrap();
    assert_eq!(types(&db).await, 5);
    let off = WebhookChange { enabled: Some(false), ..WebhookChange::default() };
    let row = webhooks.update(other, &off, &given::actor()).await.unwrap();
    assert!(row.disabled_at.is_some() && row.disabled_reason.is_none());
    assert_eq!(types(&db).await, 4);
    webhooks.delete(one, &given::actor()).await.unwrap();

    assert_eq!(types(&db).await, 0);
    assert!(matches!(webhooks.get(one).await, Err(StoreError::NotFound { .. })));
    assert!(matches!(webhooks.delete(one, &given::actor()).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_project_has_at_most_ten_webhooks() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    for _ in 0..10 {
        webhook(&project, &[MemoryCreated]).await;
    }
    let eleventh = NewWebhook {
        webhook_id: Uuid::now_v7(),
        url: "https://hooks.example.com/".into(),
        description: String::new(),
        types: vec![MemoryCreated],
        include_texts: false,
        secret: "whsec_c2VjcmV0".to_owned().into(),
    };

    let refused = project.admin().webhooks().create(&eleventh, &given::actor(), None).await;

    assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
}

#[tokio::test]
async fn secrets_are_encrypted_and_both_sign_during_a_rotation() {
    let db = TestDb::create().await;
    let plain = db.store().await;
    let project = given::project(&plain, "p").await;
    let webhook = webhook(&project, &[MemoryCreated]).await;
    let key: SecretString = EncryptionKeys::generate().unwrap();
    let encryption = Some(EncryptionKeys::parse(&key).unwrap());
    let store = Store::connect(&StoreSettings { encryption, ..db.settings() }).await.unwrap();
    let id = store.catalogue().find_project(&"p".parse().unwrap()).await.unwrap().unwrap();
    let project = store.project(id);

    let next = "whsec_bmV4dA==".to_owned().into();
    let webhooks = project.admin().webhooks();
    let row = webhooks.rotate(webhook, &next, MINUTE, &given::actor(), None).await.unwrap();
    assert!(row.previous_until.is_some());
    assert_eq!(store.maintenance().encrypt_project(id).await.unwrap(), 1, "the first secret was plain");

    let stored: (String, String) = sqlx::query_as("select secret, previous_secret from webhook_endpoint")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    assert!(stored.0.starts_with("reflect-sealed-1:") && stored.1.starts_with("reflect-sealed-1:"));
    written(&project).await;
    let worker = Uuid::now_v7();
    assert_eq!(claim(&store, worker).await, [webhook]);
    let (target, _) = webhooks.sending().next(worker, webhook, 1, HOLD).await.unwrap().unwrap();
    let secrets: Vec<&str> = target.secrets.iter().map(SecretString::expose_secret).collect();
    assert_eq!(secrets, ["whsec_bmV4dA==", "whsec_c2VjcmV0"]);

    webhooks.rotate(webhook, &next, Duration::ZERO, &given::actor(), None).await.unwrap();
    let (target, _) = webhooks.sending().next(worker, webhook, 1, HOLD).await.unwrap().unwrap();
    assert_eq!(target.secrets.len(), 1);
}

#[tokio::test]
async fn a_test_and_a_redelivery_are_deliveries_of_their_own() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (webhook, worker) = (webhook(&project, &[MemoryCreated]).await, Uuid::now_v7());
    let rows = project.admin().webhooks().log();
    let test = rows.test(webhook, &given::actor(), None).await.unwrap();
    assert!(matches!(
        rows.redeliver(webhook, test, &given::actor(), None).await,
        Err(StoreError::Conflict { .. })
    ));
    claim(&store, worker).await;
    let due = next(&project, worker, webhook).await;
    end(&project, webhook, &due[0], AttemptOutcome::GivenUp).await;

    let again = rows.redeliver(webhook, test, &given::actor(), None).await.unwrap();

    let (first, event) = rows.get(webhook, test).await.unwrap();
    let (second, same) = rows.get(webhook, again).await.unwrap();
    assert_eq!((first.state, first.event_type), (DeliveryState::Failed, DeliveredType::Test));
    assert_eq!((second.state, second.event_id, same), (DeliveryState::Waiting, first.event_id, event));
    assert_eq!(rows.list(webhook, Some(DeliveryState::Failed), None, 10).await.unwrap().len(), 1);
    assert!(matches!(
        rows.redeliver(Uuid::now_v7(), test, &given::actor(), None).await,
        Err(StoreError::NotFound { .. })
    ));
}

#[tokio::test]
async fn a_deleted_project_sends_nothing_more() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    webhook(&project, &[MemoryCreated, ReviewNeeded]).await;
    written(&project).await;

    project.admin().delete("p", &given::actor()).await.unwrap();

    assert!(claim(&store, Uuid::now_v7()).await.is_empty());
    store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap();
    for table in ["webhook_endpoint", "webhook_event", "webhook_delivery", "webhook_queue"] {
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        let left: i64 = sqlx::query_scalar(count).fetch_one(&mut db.superuser().await).await.unwrap();
        assert_eq!(left, 0, "{table}");
    }
}
