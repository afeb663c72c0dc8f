//! Webhooks.

use std::time::Duration;

use reflect_api::{
    ChangeWebhook, CreateWebhook, CreatedWebhook, RotateWebhookSecret, Webhook, WebhookAttempt,
    WebhookDelivery, WebhookDeliveryDetail,
};
use reflect_engine::{MadeWebhook, WebhookSpec};
use reflect_store::{DeliveryAttempt, DeliveryRow, SentEvent, WebhookChange, WebhookRow};
use serde_json::Value;

pub(crate) fn webhook_spec(request: CreateWebhook) -> WebhookSpec {
    WebhookSpec {
        url: request.url,
        types: request.events,
        description: request.description.unwrap_or_default(),
        include_texts: request.include_texts.unwrap_or_default(),
    }
}

pub(crate) fn webhook_change(request: ChangeWebhook) -> WebhookChange {
    let ChangeWebhook { url, events, description, include_texts, enabled } = request;
    WebhookChange { url, types: events, description, include_texts, enabled }
}

pub(crate) fn secret_overlap(request: &RotateWebhookSecret) -> Option<Duration> {
    request.overlap_hours.map(|hours| Duration::from_secs(u64::from(hours) * 60 * 60))
}

pub(crate) fn created_webhook(made: MadeWebhook) -> CreatedWebhook {
    CreatedWebhook { secret: made.expose_secret().to_owned(), webhook: webhook(made.row) }
}

pub(crate) fn webhook(row: WebhookRow) -> Webhook {
    Webhook {
        id: row.webhook_id,
        url: row.url,
        events: row.types,
        description: row.description,
        include_texts: row.include_texts,
        enabled: row.enabled,
        disabled_reason: row.disabled_reason,
        disabled_at: row.disabled_at,
        failures: u32::try_from(row.failures).unwrap_or(0),
        failing_since: row.failing_since,
        created_by: row.created_by,
        created_at: row.created_at,
        previous_secret_until: row.previous_until,
    }
}

pub(crate) fn webhook_delivery(row: DeliveryRow) -> WebhookDelivery {
    WebhookDelivery {
        id: row.delivery_id,
        event_id: row.event_id,
        event: row.event_type.as_str().to_owned(),
        subject: row.subject,
        state: row.state,
        next_attempt_at: row.next_at,
        attempts: row.attempts.into_iter().map(attempt).collect(),
        created_at: row.created_at,
        finished_at: row.finished_at,
    }
}

fn attempt(attempt: DeliveryAttempt) -> WebhookAttempt {
    let DeliveryAttempt { at, status, error, milliseconds } = attempt;
    WebhookAttempt { at, status, error, milliseconds }
}

pub(crate) fn webhook_delivery_detail(
    (row, event): (DeliveryRow, Option<SentEvent>),
) -> WebhookDeliveryDetail {
    let happened_at = event.as_ref().map(|event| event.happened_at);
    let data = match event.map(|event| event.data) {
        Some(Value::Object(data)) => Some(data),
        _ => None,
    };
    WebhookDeliveryDetail { delivery: webhook_delivery(row), happened_at, data }
}
