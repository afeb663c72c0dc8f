//! Creates, changes and tests endpoints.

use std::time::Duration;

use reflect_store::{AuditActor, Claim, DeliveryId, NewWebhook, Store, WebhookChange, WebhookId, WebhookRow};
use reflect_types::{Scope, WebhookEventType};
use reflect_webhook_client::generate_secret;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::WebhookSettings;
use crate::caller::Visitor;
use crate::client_text::storable;
use crate::error::EngineError;

const LONGEST_DESCRIPTION: usize = 200;
/// How long requests are signed with both secrets after a rotation, unless the caller says otherwise.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_OVERLAP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A new endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSpec {
    /// Where events are sent.
    pub url: String,
    /// The types of events that it receives.
    pub types: Vec<WebhookEventType>,
    /// What it is for.
    pub description: String,
    /// Whether payloads contain texts of runs and memories.
    pub include_texts: bool,
}

/// An endpoint with its new secret, which is shown only now.
#[derive(Debug)]
pub struct MadeWebhook {
    /// The endpoint.
    pub row: WebhookRow,
    secret: SecretString,
}

impl MadeWebhook {
    /// The secret with which the receiver verifies requests, to be shown once.
    pub fn expose_secret(&self) -> &str {
        self.secret.expose_secret()
    }
}

/// Manages the endpoints of projects.
#[derive(Debug, Clone)]
pub struct Webhooks {
    store: Store,
    settings: Option<WebhookSettings>,
}

impl Webhooks {
    pub(crate) const fn new(store: Store, settings: Option<WebhookSettings>) -> Self {
        Self { store, settings }
    }

    /// Creates an endpoint with a new secret.
    pub async fn create(
        &self,
        visitor: &Visitor,
        spec: WebhookSpec,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<MadeWebhook, EngineError> {
        self.check_url(&spec.url)?;
        if spec.include_texts {
            check_texts(visitor)?;
        }
        let types = checked_types(&spec.types)?;
        let (description, secret) = (checked_description(spec.description)?, generate_secret());
        let new = NewWebhook {
            webhook_id: Uuid::now_v7(),
            url: spec.url,
            description,
            types,
            include_texts: spec.include_texts,
            secret: secret.clone(),
        };
        let project = self.store.project(visitor.project);
        let row = project.admin().webhooks().create(&new, actor, claim).await?;
        Ok(MadeWebhook { row, secret })
    }

    /// Changes an endpoint.
    pub async fn update(
        &self,
        visitor: &Visitor,
        webhook: WebhookId,
        mut change: WebhookChange,
        actor: &AuditActor,
    ) -> Result<WebhookRow, EngineError> {
        let project = self.store.project(visitor.project);
        let webhooks = project.admin().webhooks();
        if let Some(url) = &change.url {
            self.check_url(url)?;
        }
        let sends_texts = match (change.include_texts, &change.url) {
            (Some(texts), _) => texts,
            // The texts would go to another address.
            (None, Some(_)) => webhooks.get(webhook).await?.include_texts,
            (None, None) => false,
        };
        if sends_texts {
            check_texts(visitor)?;
        }
        change.types = change.types.as_deref().map(checked_types).transpose()?;
        change.description = change.description.map(checked_description).transpose()?;
        Ok(webhooks.update(webhook, &change, actor).await?)
    }

    /// Removes an endpoint.
    pub async fn delete(
        &self,
        visitor: &Visitor,
        webhook: WebhookId,
        actor: &AuditActor,
    ) -> Result<(), EngineError> {
        Ok(self.store.project(visitor.project).admin().webhooks().delete(webhook, actor).await?)
    }

    /// Gives an endpoint a new secret. Requests are also signed with the old one for some time.
    pub async fn rotate(
        &self,
        visitor: &Visitor,
        webhook: WebhookId,
        overlap: Option<Duration>,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<MadeWebhook, EngineError> {
        let overlap = overlap.unwrap_or(OVERLAP);
        if overlap > LONGEST_OVERLAP {
            return Err(EngineError::invalid("overlap_hours", "must be at most 168 (7 days)"));
        }
        let (project, secret) = (self.store.project(visitor.project), generate_secret());
        let row = project.admin().webhooks().rotate(webhook, &secret, overlap, actor, claim).await?;
        Ok(MadeWebhook { row, secret })
    }

    /// Sends a test event to an endpoint.
    pub async fn test(
        &self,
        visitor: &Visitor,
        webhook: WebhookId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<DeliveryId, EngineError> {
        let project = self.store.project(visitor.project);
        Ok(project.admin().webhooks().log().test(webhook, actor, claim).await?)
    }

    /// Sends the event of a delivery again.
    pub async fn redeliver(
        &self,
        visitor: &Visitor,
        webhook: WebhookId,
        delivery: DeliveryId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<DeliveryId, EngineError> {
        let project = self.store.project(visitor.project);
        Ok(project.admin().webhooks().log().redeliver(webhook, delivery, actor, claim).await?)
    }

    fn check_url(&self, url: &str) -> Result<(), EngineError> {
        let settings = self.settings.as_ref();
        let settings =
            settings.ok_or_else(|| EngineError::NotReady("this process cannot send webhooks".to_owned()))?;
        settings.client.check_url(url).map_err(|error| EngineError::invalid("url", error))
    }
}

/// A webhook with texts shows what these scopes show.
fn check_texts(visitor: &Visitor) -> Result<(), EngineError> {
    for scope in [Scope::MemoryRead, Scope::TraceRead] {
        if visitor.may(scope).is_err() {
            let why =
                format!("include_texts sends texts of runs and memories, which needs the scope {scope}");
            return Err(EngineError::Forbidden(why));
        }
    }
    Ok(())
}

fn checked_types(types: &[WebhookEventType]) -> Result<Vec<WebhookEventType>, EngineError> {
    if types.is_empty() {
        let problem = format!("must name at least {}", WebhookEventType::EXPECTED);
        return Err(EngineError::invalid("events", problem));
    }
    Ok(WebhookEventType::of_set(WebhookEventType::set(types)))
}

fn checked_description(text: String) -> Result<String, EngineError> {
    let text = storable(text).trim().to_owned();
    if text.chars().count() > LONGEST_DESCRIPTION || text.contains(['\n', '\r']) {
        return Err(EngineError::invalid("description", "must be one line of at most 200 characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_types_has_each_type_once() {
        use WebhookEventType::{JudgeStopped, ReviewNeeded};
        let found = checked_types(&[JudgeStopped, ReviewNeeded, JudgeStopped]);
        assert_eq!(found.unwrap(), [ReviewNeeded, JudgeStopped]);
        let refused = checked_types(&[]).unwrap_err().to_string();
        assert!(refused.starts_with("events must name at least one of review.needed"), "{refused}");
    }

    #[test]
    fn a_description_is_one_short_line() {
        assert_eq!(checked_description(" to Slack ".to_owned()).unwrap(), "to Slack");
        assert!(checked_description("a\nb".to_owned()).is_err());
        assert!(checked_description("x".repeat(201)).is_err());
    }
}
