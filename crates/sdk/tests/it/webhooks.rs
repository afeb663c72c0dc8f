//! Webhooks.

use reflect_sdk::api::{ChangeWebhook, CreateWebhook, DeliveryState, RotateWebhookSecret, WebhookEventType};

use crate::given::given;

#[tokio::test]
async fn a_webhook_is_created_changed_tested_and_deleted() {
    let given = given().await;
    let webhooks = &given.client.webhooks;
    let wish = CreateWebhook {
        url: "https://hooks.example.com/".to_owned(),
        events: vec![WebhookEventType::MemoryCreated],
        description: Some("to the log".to_owned()),
        include_texts: None,
    };
    let created = webhooks.create(&wish).await.unwrap();
    let id = created.webhook.id;
    let test = webhooks.test(id).await.unwrap();

    let change = ChangeWebhook { enabled: Some(false), ..ChangeWebhook::default() };
    let changed = webhooks.update(id, &change).await.unwrap();
    let rotated = webhooks.rotate(id, &RotateWebhookSecret { overlap_hours: Some(0) }).await.unwrap();
    let waiting = webhooks.deliveries(id, Some(DeliveryState::Waiting), None, Some(10)).await.unwrap();
    let delivery = webhooks.delivery(id, test.delivery_id).await.unwrap();
    let early = webhooks.redeliver(id, test.delivery_id).await.unwrap_err();

    assert!(created.secret.starts_with("whsec_") && created.secret != rotated.secret);
    assert!(!changed.enabled && changed.description == "to the log");
    assert_eq!((waiting.items.len(), waiting.items[0].event.as_str()), (1, "webhook.test"));
    assert_eq!(delivery.delivery, waiting.items[0]);
    assert_eq!(early.code(), Some("conflict"));
    assert_eq!(webhooks.list().await.unwrap(), [webhooks.get(id).await.unwrap()]);
    webhooks.delete(id).await.unwrap();
    assert!(webhooks.list().await.unwrap().is_empty());
}
