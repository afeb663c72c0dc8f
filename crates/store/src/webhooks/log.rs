//! The delivery log, tests of an endpoint, and sending a delivery again.

use chrono::{DateTime, Utc};
use reflect_types::{DeliveredType, DeliveryState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::endpoints::{NOT_FOUND, lock_queue};
use crate::audit::{self, AuditActor};
use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::ids::{DeliveryId, EventId, WebhookId};
use crate::outbox::{NewDeliveries, StoredEvent, insert_events};

/// The deliveries of the last days.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryLog<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// One attempt. The answer of the receiver is not stored: it could be anything that the server can reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: DateTime<Utc>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// What went wrong, if there was no answer or not a successful one.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryRow {
    /// Its id.
    pub delivery_id: DeliveryId,
    /// The event.
    pub event_id: EventId,
    /// The type of the event.
    pub event_type: DeliveredType,
    /// What the event is about.
    pub subject: String,
    /// Its state.
    pub state: DeliveryState,
    /// When it is tried next. `None` if it is finished or waits for an earlier delivery of its subject.
    pub next_at: Option<DateTime<Utc>>,
    /// The attempts so far.
    pub attempts: Vec<DeliveryAttempt>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was delivered or given up.
    pub finished_at: Option<DateTime<Utc>>,
}

/// The event of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct SentEvent {
    /// Its id.
    pub event_id: EventId,
    /// Its type.
    pub event_type: DeliveredType,
    /// What happened.
    pub data: Value,
    /// When.
    pub happened_at: DateTime<Utc>,
}

impl FromRow<'_, PgRow> for DeliveryRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let Json(attempts): Json<Vec<DeliveryAttempt>> = row.try_get("attempts")?;
        Ok(Self {
            delivery_id: row.try_get("delivery_id")?,
            event_id: row.try_get("event_id")?,
            event_type: DeliveredType::from_bit(row.try_get("type")?),
            subject: row.try_get("subject")?,
            state: coded(DeliveryState::from_code(row.try_get("state")?))?,
            next_at: row.try_get("next_at")?,
            attempts,
            created_at: row.try_get("created_at")?,
            finished_at: row.try_get("finished_at")?,
        })
    }
}

impl DeliveryLog<'_> {
    /// The deliveries of an endpoint older than `before`, newest first; all, or those in one state.
    pub async fn list(
        &self,
        webhook: WebhookId,
        state: Option<DeliveryState>,
        before: Option<DeliveryId>,
        limit: i64,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let known = sqlx::query(include_str!("../../sql/webhooks/get.sql"));
        let known = known.bind(self.db.project).bind(webhook).fetch_optional(&mut *transaction).await?;
        if known.is_none() {
            return Err(NOT_FOUND);
        }
        let rows = sqlx::query_as(include_str!("../../sql/webhooks/deliveries.sql"))
            .bind(self.db.project)
            .bind(webhook)
            .bind(before.unwrap_or(Uuid::max()))
            .bind(state.map(DeliveryState::code))
            .bind(limit)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// One delivery, and its event if that is still stored.
    pub async fn get(
        &self,
        webhook: WebhookId,
        delivery: DeliveryId,
    ) -> Result<(DeliveryRow, Option<SentEvent>), StoreError> {
        let mut transaction = self.db.read().await?;
        let row = find(&mut transaction, webhook, delivery).await?;
        transaction.commit().await?;
        let found = DeliveryRow::from_row(&row)?;
        let data: Option<Value> = row.try_get("data")?;
        let happened_at: Option<DateTime<Utc>> = row.try_get("happened_at")?;
        let event = data.zip(happened_at).map(|(data, happened_at)| {
            let DeliveryRow { event_id, event_type, .. } = found;
            SentEvent { event_id, event_type, data, happened_at }
        });
        Ok((found, event))
    }

    /// Sends a test to an endpoint. A repeated call returns the delivery of the first.
    pub async fn test(
        &self,
        webhook: WebhookId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<DeliveryId, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(earlier).await;
        }
        let position = lock_enabled(&mut transaction, webhook).await?;
        let event = Uuid::now_v7();
        let data = json!({ "webhook_id": webhook });
        // A subject of its own, so that it does not wait for an earlier test.
        let subject = format!("test:{event}");
        let stored = StoredEvent { id: event, bit: DeliveredType::TEST, subject: &subject, data: &data };
        let mut deliveries = NewDeliveries::default();
        let delivery = deliveries.add(webhook, position + 1, &stored);
        insert_events(&mut transaction, self.db.project, &[stored]).await?;
        deliveries.insert(&mut transaction, self.db.project).await?;
        audit::record(&mut transaction, actor, "webhook.test", &webhook.to_string()).await?;
        idempotency::save_answer(&mut transaction, claim, &delivery).await?;
        transaction.commit().await?;
        Ok(delivery)
    }

    /// Sends the event of a delivery again, as a new delivery with the same event id. A repeated call returns the delivery of
    /// the first.
    pub async fn redeliver(
        &self,
        webhook: WebhookId,
        delivery: DeliveryId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<DeliveryId, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(earlier).await;
        }
        let row = find(&mut transaction, webhook, delivery).await?;
        let earlier = DeliveryRow::from_row(&row)?;
        let data: Option<Value> = row.try_get("data")?;
        let gone = StoreError::Conflict { what: "the event of this delivery is not stored any more" };
        let data = data.ok_or(gone)?;
        if earlier.state == DeliveryState::Waiting {
            return Err(StoreError::Conflict {
                what: "this delivery has not ended yet; it is tried again by itself",
            });
        }
        let position = lock_enabled(&mut transaction, webhook).await?;
        let mut deliveries = NewDeliveries::default();
        let (bit, subject) = (row.try_get("type")?, earlier.subject.as_str());
        let event = StoredEvent { id: earlier.event_id, bit, subject, data: &data };
        let again = deliveries.add(webhook, position + 1, &event);
        deliveries.insert(&mut transaction, self.db.project).await?;
        audit::record(&mut transaction, actor, "webhook.redeliver", &delivery.to_string()).await?;
        idempotency::save_answer(&mut transaction, claim, &again).await?;
        transaction.commit().await?;
        Ok(again)
    }
}

async fn find(
    transaction: &mut ProjectTx,
    webhook: WebhookId,
    delivery: DeliveryId,
) -> Result<PgRow, StoreError> {
    let row = sqlx::query(include_str!("../../sql/webhooks/delivery.sql"));
    let row = row.bind(transaction.project).bind(webhook).bind(delivery);
    let row = row.fetch_optional(&mut **transaction).await?;
    row.ok_or(StoreError::NotFound { what: "delivery" })
}

/// Locks the queue row of an endpoint that receives events. Returns the position of its last delivery.
async fn lock_enabled(transaction: &mut ProjectTx, webhook: WebhookId) -> Result<i64, StoreError> {
    let position = lock_queue(transaction, webhook).await?.ok_or(NOT_FOUND)?;
    let sending = sqlx::query(include_str!("../../sql/webhooks/sending.sql"));
    let sending = sending.bind(transaction.project).bind(webhook).fetch_optional(&mut **transaction).await?;
    sending.map(|_| position).ok_or(StoreError::Conflict { what: "the webhook is disabled: enable it first" })
}
