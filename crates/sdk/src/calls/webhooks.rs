//! Calls about webhooks.

use reflect_api::{
    ChangeWebhook, CreateWebhook, CreatedWebhook, DeliveryState, QueuedDelivery, RotateWebhookSecret,
    Webhook, WebhookDelivery, WebhookDeliveryDetail,
};
use reqwest::Method;
use uuid::Uuid;

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::paging::Page;
use crate::wire::Request;

/// Calls about webhooks: `client.webhooks`.
#[derive(Debug, Clone)]
pub struct WebhookCalls {
    pub(crate) connection: Connection,
}

impl WebhookCalls {
    /// All webhooks of the project, oldest first, without their secrets.
    pub async fn list(&self) -> Result<Vec<Webhook>, Error> {
        self.connection.ask("webhooks.list", Request::get(self.connection.path(&["webhooks"]))).await
    }

    /// One webhook.
    pub async fn get(&self, webhook_id: Uuid) -> Result<Webhook, Error> {
        self.connection.ask("webhooks.get", Request::get(self.path(webhook_id, &[]))).await
    }

    /// Creates a webhook. Only this response contains the secret.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{CreateWebhook, WebhookEventType};
    ///
    /// let request = CreateWebhook {
    ///     url: "https://hooks.example.com/reflect".into(),
    ///     events: vec![WebhookEventType::ReviewNeeded],
    ///     description: None,
    ///     include_texts: None,
    /// };
    /// let created = client.webhooks.create(&request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(&self, request: &CreateWebhook) -> Result<CreatedWebhook, Error> {
        let request = Request::post(self.connection.path(&["webhooks"]), request)?.once(Uuid::now_v7());
        self.connection.ask("webhooks.create", request).await
    }

    /// Changes a webhook, or enables or disables it. Absent fields stay unchanged.
    pub async fn update(&self, webhook_id: Uuid, change: &ChangeWebhook) -> Result<Webhook, Error> {
        let request = Request::new(Method::PATCH, self.path(webhook_id, &[])).with_body(change)?;
        self.connection.ask("webhooks.update", request).await
    }

    /// Deletes a webhook.
    pub async fn delete(&self, webhook_id: Uuid) -> Result<(), Error> {
        let request = Request::delete(self.path(webhook_id, &[]));
        self.connection.answer("webhooks.delete", request).await.map(drop)
    }

    /// Replaces the secret of a webhook. Requests are signed with both for a day, or for the time of `overlap_hours`. Only
    /// this response contains the secret.
    pub async fn rotate(
        &self,
        webhook_id: Uuid,
        request: &RotateWebhookSecret,
    ) -> Result<CreatedWebhook, Error> {
        let request = Request::post(self.path(webhook_id, &["rotate"]), request)?.once(Uuid::now_v7());
        self.connection.ask("webhooks.rotate", request).await
    }

    /// Sends a test event to a webhook.
    pub async fn test(&self, webhook_id: Uuid) -> Result<QueuedDelivery, Error> {
        let path = self.path(webhook_id, &["test"]);
        let request = Request::post(path, &serde_json::json!({}))?.once(Uuid::now_v7());
        self.connection.ask("webhooks.test", request).await
    }

    /// One page of the deliveries of a webhook, newest first: all, or those in one state.
    pub async fn deliveries(
        &self,
        webhook_id: Uuid,
        state: Option<DeliveryState>,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<WebhookDelivery>, Error> {
        let parameters = [
            ("state", state.map(|state| state.as_str().to_owned())),
            ("cursor", cursor.map(str::to_owned)),
            ("limit", limit.map(|limit| limit.to_string())),
        ];
        let path = with_query(self.path(webhook_id, &["deliveries"]), &parameters);
        self.connection.page("webhooks.deliveries", path).await
    }

    /// One delivery with the data of its event.
    pub async fn delivery(
        &self,
        webhook_id: Uuid,
        delivery_id: Uuid,
    ) -> Result<WebhookDeliveryDetail, Error> {
        let path = self.path(webhook_id, &["deliveries", &delivery_id.to_string()]);
        self.connection.ask("webhooks.delivery", Request::get(path)).await
    }

    /// Sends the event of a delivery again, with the same event id.
    pub async fn redeliver(&self, webhook_id: Uuid, delivery_id: Uuid) -> Result<QueuedDelivery, Error> {
        let path = self.path(webhook_id, &["deliveries", &delivery_id.to_string(), "redeliver"]);
        let request = Request::post(path, &serde_json::json!({}))?.once(Uuid::now_v7());
        self.connection.ask("webhooks.redeliver", request).await
    }

    fn path(&self, webhook_id: Uuid, below: &[&str]) -> String {
        let id = webhook_id.to_string();
        let segments: Vec<&str> = ["webhooks", &id].into_iter().chain(below.iter().copied()).collect();
        self.connection.path(&segments)
    }
}
