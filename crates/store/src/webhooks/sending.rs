//! Sending to one endpoint: what is due, and what became of it.
//!
//! All transactions here end soon even if the process is stopped: they hold the queue row, for which the transactions that
//! cause events wait.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{CrashPoint, DeliveredType, DeliveryState, WebhookEventType};
use secrecy::SecretString;
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::endpoints::lock_queue;
use super::log::{DeliveryAttempt, SentEvent};
use crate::db::{ProjectDb, sender_transaction};
use crate::error::StoreError;
use crate::ids::{DeliveryId, EventId, WebhookId};
use crate::sealing::SealedColumn;

/// What a process needs that sends.
#[derive(Debug, Clone, Copy)]
pub struct SendingStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// An enabled endpoint, with its secrets.
#[derive(Debug, Clone)]
pub struct WebhookTarget {
    /// Its id.
    pub webhook_id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Whether payloads contain texts of runs and memories.
    pub include_texts: bool,
    /// With which requests are signed: the current secret, and the one before it for a while after a rotation.
    pub secrets: Vec<SecretString>,
    /// How many rounds of attempts in a row have failed.
    pub failures: u32,
}

/// What became of a round of attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundOutcome {
    /// The receiver accepted at least one.
    Succeeded,
    /// The receiver accepted none.
    Failed,
    /// No request was sent: it says nothing about the receiver.
    NothingSent,
}

/// The failures of an endpoint since its last success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Failures {
    /// How many rounds in a row have failed.
    pub count: u32,
    /// For how long.
    pub lasting: Duration,
}

/// A delivery that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct DueDelivery {
    /// Its id.
    pub delivery_id: DeliveryId,
    /// How often it was tried.
    pub attempts: u32,
    /// How long ago the first attempt was, or a person's last change of the endpoint if that was later.
    pub age: Duration,
    /// The event. `None` if it is not stored any more.
    pub event: Option<SentEvent>,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The receiver accepted it.
    Delivered,
    /// It is tried again after this time.
    Retry(Duration),
    /// It is not tried again.
    GivenUp,
}

/// An attempt and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedAttempt {
    /// The delivery.
    pub delivery_id: DeliveryId,
    /// What became of it.
    pub outcome: AttemptOutcome,
    /// The attempt, for the log.
    pub attempt: DeliveryAttempt,
}

#[derive(FromRow)]
struct DueRow {
    delivery_id: DeliveryId,
    event_id: EventId,
    attempts: i32,
    age: f64,
    #[sqlx(rename = "type")]
    bit: i32,
    data: Option<Value>,
    created_at: Option<DateTime<Utc>>,
}

impl From<DueRow> for DueDelivery {
    fn from(row: DueRow) -> Self {
        let event = row.data.zip(row.created_at).map(|(data, happened_at)| {
            let event_type = DeliveredType::from_bit(row.bit);
            SentEvent { event_id: row.event_id, event_type, data, happened_at }
        });
        Self {
            delivery_id: row.delivery_id,
            attempts: u32::try_from(row.attempts).unwrap_or(0),
            age: Duration::from_secs_f64(row.age.max(0.0)),
            event,
        }
    }
}

impl SendingStore<'_> {
    /// Extends the claim of a process, and reads the endpoint with at most `most` deliveries that are due. `None` if another
    /// process has the endpoint now, or if it is disabled or deleted.
    pub async fn next(
        &self,
        worker: Uuid,
        webhook: WebhookId,
        most: i64,
        hold: Duration,
    ) -> Result<Option<(WebhookTarget, Vec<DueDelivery>)>, StoreError> {
        let mut transaction = sender_transaction(self.db).await?;
        let held = sqlx::query(include_str!("../../sql/webhooks/hold.sql"));
        let held = held.bind(self.db.project).bind(webhook).bind(worker).bind(hold.as_secs_f64());
        if held.fetch_optional(&mut *transaction).await?.is_none() {
            return Ok(None);
        }
        let row = sqlx::query(include_str!("../../sql/webhooks/sending.sql"));
        let row = row.bind(self.db.project).bind(webhook).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else { return Ok(None) };
        let stored: [Option<String>; 2] = [row.try_get("secret")?, row.try_get("previous_secret")?];
        let place = SealedColumn::WebhookSecret.of(webhook);
        let secrets = stored.into_iter().flatten();
        let secrets: Result<Vec<String>, _> =
            secrets.map(|secret| transaction.sealer.open_text(place, secret)).collect();
        let target = WebhookTarget {
            webhook_id: webhook,
            url: row.try_get("url")?,
            include_texts: row.try_get("include_texts")?,
            secrets: secrets?.into_iter().map(SecretString::from).collect(),
            failures: u32::try_from(row.try_get::<i32, _>("failures")?).unwrap_or(0),
        };
        let due = sqlx::query_as(include_str!("../../sql/webhooks/due.sql"));
        let due = due.bind(self.db.project).bind(webhook).bind(most);
        let due = due.bind(WebhookEventType::set(WebhookEventType::ALL));
        let due: Vec<DueRow> = due.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Some((target, due.into_iter().map(DueDelivery::from).collect())))
    }

    /// Stores the results of a round of attempts, and makes what waited for them due. Returns the failures of the endpoint in a
    /// row: none if the round succeeded, or if a person has changed the address since.
    pub async fn record(
        &self,
        target: &WebhookTarget,
        finished: &[FinishedAttempt],
        round: RoundOutcome,
    ) -> Result<Failures, StoreError> {
        let webhook = target.webhook_id;
        let mut transaction = sender_transaction(self.db).await?;
        // The lock under which deliveries are added: what is added later sees these results.
        lock_queue(&mut transaction, webhook).await?;
        let delay = |outcome: AttemptOutcome| match outcome {
            AttemptOutcome::Retry(delay) => delay.as_secs_f64(),
            AttemptOutcome::Delivered | AttemptOutcome::GivenUp => 0.0,
        };
        let ended = sqlx::query_scalar(include_str!("../../sql/webhooks/record_attempts.sql"))
            .bind(self.db.project)
            .bind(webhook)
            .bind(finished.iter().map(|one| one.delivery_id).collect::<Vec<_>>())
            .bind(finished.iter().map(|one| state(one.outcome).code()).collect::<Vec<_>>())
            .bind(finished.iter().map(|one| delay(one.outcome)).collect::<Vec<_>>())
            .bind(finished.iter().map(|one| Json(&one.attempt)).collect::<Vec<_>>());
        let ended: Vec<String> = ended.fetch_all(&mut *transaction).await?;
        if !ended.is_empty() {
            let unblocked = sqlx::query(include_str!("../../sql/webhooks/unblock.sql"));
            let unblocked = unblocked.bind(self.db.project).bind(webhook).bind(ended);
            unblocked.execute(&mut *transaction).await?;
        }
        let mut failures = Failures::default();
        if round != RoundOutcome::NothingSent {
            let noted = sqlx::query_as(include_str!("../../sql/webhooks/note_round.sql"));
            let noted = noted.bind(self.db.project).bind(webhook).bind(round == RoundOutcome::Failed);
            let noted = noted.bind(&target.url).fetch_optional(&mut *transaction).await?;
            failures = noted.map_or(failures, |(count, seconds): (i32, f64)| Failures {
                count: u32::try_from(count).unwrap_or(0),
                lasting: Duration::from_secs_f64(seconds.max(0.0)),
            });
        }
        transaction.commit_at(CrashPoint::WebhookRecord).await?;
        Ok(failures)
    }

    /// Ends the claim of a process. The endpoint is due again when its next delivery is, and not before `pause` has passed. Without
    /// `more` it is disabled, and due only if it was enabled since.
    pub async fn release(
        &self,
        worker: Uuid,
        webhook: WebhookId,
        more: bool,
        pause: Option<Duration>,
    ) -> Result<(), StoreError> {
        let mut transaction = sender_transaction(self.db).await?;
        let released = sqlx::query(include_str!("../../sql/webhooks/release.sql"))
            .bind(self.db.project)
            .bind(webhook)
            .bind(worker)
            .bind(more)
            .bind(pause.map(|pause| pause.as_secs_f64()));
        released.execute(&mut *transaction).await?;
        transaction.commit().await
    }
}

const fn state(outcome: AttemptOutcome) -> DeliveryState {
    match outcome {
        AttemptOutcome::Delivered => DeliveryState::Delivered,
        AttemptOutcome::Retry(_) => DeliveryState::Waiting,
        AttemptOutcome::GivenUp => DeliveryState::Failed,
    }
}
