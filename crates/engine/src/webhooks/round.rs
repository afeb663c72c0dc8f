//! One round of attempts: the first due deliveries of one endpoint, at the same time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use futures::future::join_all;
use reflect_rules::webhooks::{FailedAttempt, retry_after};
use reflect_store::{
    AttemptOutcome, DeliveryAttempt, DueDelivery, FinishedAttempt, ProjectCtx, SentEvent, StoreError,
    WebhookTarget,
};
use reflect_types::CrashPoint;
use reflect_webhook_client::{WebhookClient, WebhookRequest};

use super::payload::{PayloadProject, payload, texts};
use crate::one_line::one_line;

const LONGEST_ERROR: usize = 300;
const NOT_STORED: &str = "the event is not stored any more";

/// What became of a round.
#[derive(Debug, Default)]
pub(super) struct RoundResult {
    pub(super) finished: Vec<FinishedAttempt>,
    /// Whether at least one attempt was accepted.
    pub(super) succeeded: bool,
    /// The status of a receiver that does not exist any more, else of the last answer.
    pub(super) status: Option<u16>,
}

/// Sends deliveries of one endpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) client: &'a WebhookClient,
    pub(super) project: &'a ProjectCtx,
    pub(super) named: PayloadProject<'a>,
    pub(super) target: &'a WebhookTarget,
}

/// The answer of a receiver, or why there was none.
struct Answered {
    status: Option<u16>,
    asked: Option<Duration>,
    error: Option<String>,
}

impl Round<'_> {
    /// Tries every delivery once.
    pub(super) async fn send(self, due: &[DueDelivery]) -> Result<RoundResult, StoreError> {
        let mut result = RoundResult::default();
        for attempted in join_all(due.iter().map(|delivery| self.attempt(delivery))).await {
            let finished = attempted?;
            result.succeeded |= finished.outcome == AttemptOutcome::Delivered;
            if result.status != Some(410) {
                result.status = finished.attempt.status;
            }
            result.finished.push(finished);
        }
        Ok(result)
    }

    async fn attempt(self, delivery: &DueDelivery) -> Result<FinishedAttempt, StoreError> {
        let (began, now) = (Instant::now(), SystemTime::now());
        let answered = match &delivery.event {
            Some(event) => self.send_one(event, now).await?,
            None => Answered { status: None, asked: None, error: Some(NOT_STORED.to_owned()) },
        };
        let outcome = match (&answered.error, &delivery.event) {
            (None, _) => AttemptOutcome::Delivered,
            (Some(_), None) => AttemptOutcome::GivenUp,
            (Some(_), Some(_)) => {
                let (number, age) = (delivery.attempts.saturating_add(1), delivery.age + began.elapsed());
                let failed = FailedAttempt { number, age, asked: answered.asked };
                retry_after(failed, rand::random()).map_or(AttemptOutcome::GivenUp, AttemptOutcome::Retry)
            }
        };
        let label = match outcome {
            AttemptOutcome::Delivered => "delivered",
            AttemptOutcome::Retry(_) => "retried",
            AttemptOutcome::GivenUp => "failed",
        };
        metrics::counter!("reflect_webhook_attempts_total", "outcome" => label).increment(1);
        let attempt = DeliveryAttempt {
            at: DateTime::<Utc>::from(now),
            status: answered.status,
            error: answered.error,
            milliseconds: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Ok(FinishedAttempt { delivery_id: delivery.delivery_id, outcome, attempt })
    }

    async fn send_one(self, event: &SentEvent, now: SystemTime) -> Result<Answered, StoreError> {
        let texts = match self.target.include_texts {
            true => texts(self.project, event).await?,
            false => serde_json::Map::new(),
        };
        let body = payload(event, self.named, texts);
        let timestamp = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let id = event.event_id.to_string();
        let (url, secrets) = (self.target.url.as_str(), self.target.secrets.as_slice());
        let request = WebhookRequest { url, id: &id, timestamp, body: &body, secrets };
        CrashPoint::WebhookSend.before();
        let answered = self.client.send(request).await;
        CrashPoint::WebhookSend.after();
        Ok(match answered {
            Ok(answer) if (200..300).contains(&answer.status) => {
                Answered { status: Some(answer.status), asked: None, error: None }
            }
            Ok(answer) => {
                let error = format!("the receiver answered {}", answer.status);
                Answered { status: Some(answer.status), asked: answer.retry_after, error: Some(error) }
            }
            Err(error) => {
                let error = one_line(&error.to_string(), LONGEST_ERROR);
                Answered { status: None, asked: None, error: Some(error) }
            }
        })
    }
}
