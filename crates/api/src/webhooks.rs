//! Webhooks: endpoints that receive events, and the log of deliveries.

use chrono::{DateTime, Utc};
use reflect_types::{DeliveryState, WebhookEventType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Creates a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateWebhook {
    /// Where events are sent: an `https` address on the public internet.
    pub url: String,
    /// The types of events to send.
    pub events: Vec<WebhookEventType>,
    /// What the webhook is for: one line of at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether events contain texts: the task and the summary of a memory, the tasks of waiting runs. Default: false, so
    /// events contain only ids, words and numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_texts: Option<bool>,
}

/// Changes a webhook. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeWebhook {
    /// Where events are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The types of events to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<WebhookEventType>>,
    /// What the webhook is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether events contain texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_texts: Option<bool>,
    /// Whether events are sent. Enabling a webhook forgets its failures and tries the waiting deliveries at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A webhook, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// The webhook's id.
    pub id: Uuid,
    /// Where events are sent.
    pub url: String,
    /// The types of events that are sent.
    pub events: Vec<WebhookEventType>,
    /// What it is for.
    pub description: String,
    /// Whether events contain texts.
    pub include_texts: bool,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why the server disabled it. Null if a person did, or if it is enabled.
    pub disabled_reason: Option<String>,
    /// When it was disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// How many rounds of attempts in a row have failed. 0 after a success.
    pub failures: u32,
    /// When the first of them failed.
    pub failing_since: Option<DateTime<Utc>>,
    /// Who created it.
    pub created_by: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Until when requests are also signed with the secret before the last rotation.
    pub previous_secret_until: Option<DateTime<Utc>>,
}

/// A webhook with a new secret. The secret is returned only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedWebhook {
    /// With which the receiver verifies the signature of requests: `whsec_…`.
    pub secret: String,
    /// The webhook's other fields.
    pub webhook: Webhook,
}

/// Replaces the secret of a webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RotateWebhookSecret {
    /// For how many hours requests are also signed with the old secret, 0 to 168. Default: 24.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap_hours: Option<u32>,
}

/// A delivery: one event for one webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookDelivery {
    /// The delivery's id.
    pub id: Uuid,
    /// The event's id: the header `webhook-id` of every attempt.
    pub event_id: Uuid,
    /// The type of the event: one of the types of events, or `webhook.test`.
    pub event: String,
    /// What the event is about. Events about one subject are delivered in order.
    pub subject: String,
    /// The state.
    pub state: DeliveryState,
    /// When it is tried next. Null if it has ended, or waits for an earlier event about the same subject.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The attempts so far.
    pub attempts: Vec<WebhookAttempt>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was delivered or given up.
    pub finished_at: Option<DateTime<Utc>>,
}

/// One attempt. The receiver's answer is not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookAttempt {
    /// When it began.
    pub at: DateTime<Utc>,
    /// The status of the answer. Null if there was none.
    pub status: Option<u16>,
    /// What went wrong. Null if the receiver accepted it.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// A delivery with the data of its event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookDeliveryDetail {
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// When the event happened.
    pub happened_at: Option<DateTime<Utc>>,
    /// The event's data as it is stored. A request has in addition the project, a link, and texts if the webhook includes them.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub data: Option<Map<String, Value>>,
}

/// A new delivery. The server tries it within seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedDelivery {
    /// The delivery's id.
    pub delivery_id: Uuid,
}
