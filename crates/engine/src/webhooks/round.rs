//! One round of attempts: the first due deliveries of one endpoint, at the same time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use futures::future::join_all;
use reflect_rules::webhooks::{FailedAttempt, retry_after};
use reflect_store::{
    AttemptOutcome, DeliveryAttempt, DueDelivery, FinishedAttempt, ProjectCtx, RoundOutcome, SentEvent,
    WebhookTarget,
};
use reflect_types::{CrashPoint, DeliveredType};
use reflect_webhook_client::{WebhookClient, WebhookRequest};

use super::payload::{PayloadProject, payload, texts};
use crate::error::chain;
use crate::one_line::one_line;

const LONGEST_ERROR: usize = 300;
const NOT_STORED: &str = "the event is not stored any more";
const UNREADABLE: &str = "the server cannot read the texts of the event; its log has the reason";

/// What became of a round.
#[derive(Debug)]
pub(super) struct RoundResult {
    pub(super) finished: Vec<FinishedAttempt>,
    pub(super) outcome: RoundOutcome,
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
#[derive(Default)]
struct Answered {
    /// Whether a request was sent.
    sent: bool,
    status: Option<u16>,
    asked: Option<Duration>,
    error: Option<String>,
}

impl Round<'_> {
    /// Tries every delivery once.
    pub(super) async fn send(self, due: &[DueDelivery]) -> RoundResult {
        let mut result =
            RoundResult { finished: Vec::new(), outcome: RoundOutcome::NothingSent, status: None };
        for (sent, finished) in join_all(due.iter().map(|delivery| self.attempt(delivery))).await {
            if finished.outcome == AttemptOutcome::Delivered {
                result.outcome = RoundOutcome::Succeeded;
            } else if sent && result.outcome == RoundOutcome::NothingSent {
                result.outcome = RoundOutcome::Failed;
            }
            if result.status != Some(410) {
                result.status = finished.attempt.status;
            }
            result.finished.push(finished);
        }
        result
    }

    /// Whether a request was sent, and the result.
    async fn attempt(self, delivery: &DueDelivery) -> (bool, FinishedAttempt) {
        let (began, now) = (Instant::now(), SystemTime::now());
        let answered = match &delivery.event {
            Some(event) => self.send_one(event, now).await,
            None => Answered { error: Some(NOT_STORED.to_owned()), ..Answered::default() },
        };
        let outcome = match (&answered.error, &delivery.event) {
            (None, _) => AttemptOutcome::Delivered,
            // A person waits for the result of a test.
            (Some(_), None | Some(SentEvent { event_type: DeliveredType::Test, .. })) => {
                AttemptOutcome::GivenUp
            }
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
        (answered.sent, FinishedAttempt { delivery_id: delivery.delivery_id, outcome, attempt })
    }

    async fn send_one(self, event: &SentEvent, now: SystemTime) -> Answered {
        let texts = match self.target.include_texts {
            true => texts(self.project, event).await,
            false => Ok(serde_json::Map::new()),
        };
        // Counts for this delivery only: the others of the round are sent and recorded.
        let texts = match texts {
            Ok(texts) => texts,
            Err(error) => {
                tracing::warn!(error = chain(&error), "the texts of an event cannot be read: {error}");
                return Answered { error: Some(UNREADABLE.to_owned()), ..Answered::default() };
            }
        };
        let body = payload(event, self.named, texts);
        let timestamp = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let id = event.event_id.to_string();
        let (url, secrets) = (self.target.url.as_str(), self.target.secrets.as_slice());
        let request = WebhookRequest { url, id: &id, timestamp, body: &body, secrets };
        CrashPoint::WebhookSend.before();
        let answered = self.client.send(request).await;
        CrashPoint::WebhookSend.after();
        match answered {
            Ok(answer) if (200..300).contains(&answer.status) => {
                Answered { sent: true, status: Some(answer.status), ..Answered::default() }
            }
            Ok(answer) => {
                let error = format!("the receiver answered {}", answer.status);
                let (status, asked) = (Some(answer.status), answer.retry_after);
                Answered { sent: true, status, asked, error: Some(error) }
            }
            Err(error) => {
                let error = one_line(&error.to_string(), LONGEST_ERROR);
                Answered { sent: true, error: Some(error), ..Answered::default() }
            }
        }
    }
}
