//! Changes of an endpoint: its settings, its secret, and the end of its service.

use std::time::Duration;

use reflect_types::WebhookEventType;
use secrecy::{ExposeSecret, SecretString};

use super::WebhookStore;
use super::endpoints::{NOT_FOUND, WebhookRow, forget_announced, lock_project, lock_queue, refresh_types};
use super::sending::{Failures, WebhookTarget};
use crate::actions::SERVER;
use crate::audit::{self, AuditActor};
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::ids::WebhookId;
use crate::sealing::SealedColumn;

/// Changes of an endpoint. `None` leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Where events are sent.
    pub url: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The types of events that it receives.
    pub types: Option<Vec<WebhookEventType>>,
    /// Whether payloads contain texts of runs and memories.
    pub include_texts: Option<bool>,
    /// Whether it receives events. Enabling it forgets its failures and tries what waits.
    pub enabled: Option<bool>,
}

impl WebhookStore<'_> {
    /// Changes an endpoint.
    pub async fn update(
        &self,
        webhook: WebhookId,
        change: &WebhookChange,
        actor: &AuditActor,
    ) -> Result<WebhookRow, StoreError> {
        let mut transaction = self.db.write().await?;
        lock_project(&mut transaction).await?;
        if change.enabled == Some(true) || change.types.is_some() {
            forget_announced(&mut transaction).await?;
        }
        lock_queue(&mut transaction, webhook).await?.ok_or(NOT_FOUND)?;
        let row = sqlx::query_as(include_str!("../../sql/webhooks/update.sql"))
            .bind(self.db.project)
            .bind(webhook)
            .bind(&change.url)
            .bind(&change.description)
            .bind(change.types.as_deref().map(WebhookEventType::set))
            .bind(change.include_texts)
            .bind(change.enabled)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(NOT_FOUND)?;
        if change.enabled == Some(true) || change.url.is_some() {
            for resumed in [
                include_str!("../../sql/webhooks/resume.sql"),
                include_str!("../../sql/webhooks/resume_deliveries.sql"),
            ] {
                let resumed = sqlx::query(resumed).bind(self.db.project).bind(webhook);
                resumed.execute(&mut *transaction).await?;
            }
        }
        refresh_types(&mut transaction).await?;
        audit::record(&mut transaction, actor, "webhook.change", &webhook.to_string()).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Replaces the secret of an endpoint. Requests are signed with both for `overlap`. A repeated call is refused, because
    /// the answer contained a secret.
    pub async fn rotate(
        &self,
        webhook: WebhookId,
        secret: &SecretString,
        overlap: Duration,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<WebhookRow, StoreError> {
        let mut transaction = self.db.write().await?;
        idempotency::claim::<()>(&mut transaction, claim, None).await?;
        let place = SealedColumn::WebhookSecret.of(webhook);
        let secret = transaction.sealer.seal_text(place, secret.expose_secret())?.into_owned();
        let row = sqlx::query_as(include_str!("../../sql/webhooks/rotate.sql"))
            .bind(self.db.project)
            .bind(webhook)
            .bind(secret)
            .bind(overlap.as_secs_f64())
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(NOT_FOUND)?;
        audit::record(&mut transaction, actor, "webhook.rotate", &webhook.to_string()).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Disables an endpoint that cannot be reached, with the reason, unless a person has changed or enabled it since the round
    /// with these failures.
    pub async fn disable(
        &self,
        target: &WebhookTarget,
        failures: Failures,
        reason: &str,
    ) -> Result<(), StoreError> {
        let webhook = target.webhook_id;
        let mut transaction = self.db.write().await?;
        lock_project(&mut transaction).await?;
        let disabled = sqlx::query(include_str!("../../sql/webhooks/disable.sql"));
        let disabled = disabled.bind(self.db.project).bind(webhook).bind(reason).bind(&target.url);
        let disabled = disabled.bind(i32::try_from(failures.count).unwrap_or(i32::MAX));
        let disabled = disabled.execute(&mut *transaction).await?;
        if disabled.rows_affected() == 0 {
            return Ok(());
        }
        refresh_types(&mut transaction).await?;
        let (actor, target) = (AuditActor::local(SERVER), webhook.to_string());
        audit::record(&mut transaction, &actor, "webhook.disable", &target).await?;
        transaction.commit().await
    }
}
