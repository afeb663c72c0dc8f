//! Endpoints: create, list, change, delete. Their secrets are encrypted if the installation encrypts.

use chrono::{DateTime, Utc};
use reflect_types::WebhookEventType;
use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::{MOST_ENDPOINTS, WebhookStore};
use crate::audit::{self, AuditActor};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::ids::WebhookId;
use crate::sealing::SealedColumn;

/// An endpoint to store.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// Its id.
    pub webhook_id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// What it is for.
    pub description: String,
    /// The types of events that it receives.
    pub types: Vec<WebhookEventType>,
    /// Whether payloads contain texts of runs and memories.
    pub include_texts: bool,
    /// With which requests are signed.
    pub secret: SecretString,
}

/// A stored endpoint, without its secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookRow {
    /// Its id.
    pub webhook_id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// What it is for.
    pub description: String,
    /// The types of events that it receives.
    pub types: Vec<WebhookEventType>,
    /// Whether payloads contain texts of runs and memories.
    pub include_texts: bool,
    /// Whether it receives events.
    pub enabled: bool,
    /// Why the server disabled it.
    pub disabled_reason: Option<String>,
    /// When it was disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// How many rounds of attempts in a row have failed.
    pub failures: i32,
    /// Since when.
    pub failing_since: Option<DateTime<Utc>>,
    /// Who created it.
    pub created_by: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Until when requests are also signed with the secret before the last rotation.
    pub previous_until: Option<DateTime<Utc>>,
}

impl FromRow<'_, PgRow> for WebhookRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            webhook_id: row.try_get("endpoint_id")?,
            url: row.try_get("url")?,
            description: row.try_get("description")?,
            types: WebhookEventType::of_set(row.try_get("types")?),
            include_texts: row.try_get("include_texts")?,
            enabled: row.try_get("enabled")?,
            disabled_reason: row.try_get("disabled_reason")?,
            disabled_at: row.try_get("disabled_at")?,
            failures: row.try_get("failures")?,
            failing_since: row.try_get("failing_since")?,
            created_by: row.try_get("created_by")?,
            created_at: row.try_get("created_at")?,
            previous_until: row.try_get("previous_until")?,
        })
    }
}

impl WebhookStore<'_> {
    /// The endpoints of the project, oldest first.
    pub async fn list(&self) -> Result<Vec<WebhookRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = sqlx::query_as(include_str!("../../sql/webhooks/list.sql")).bind(self.db.project);
        let rows = rows.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// One endpoint.
    pub async fn get(&self, webhook: WebhookId) -> Result<WebhookRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let row = sqlx::query_as(include_str!("../../sql/webhooks/get.sql"));
        let row = row.bind(self.db.project).bind(webhook).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        row.ok_or(NOT_FOUND)
    }

    /// Stores an endpoint. A repeated call is refused, because the answer contained a secret.
    pub async fn create(
        &self,
        new: &NewWebhook,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<WebhookRow, StoreError> {
        let mut transaction = self.db.write().await?;
        idempotency::claim::<()>(&mut transaction, claim, None).await?;
        lock_project(&mut transaction).await?;
        forget_announced(&mut transaction).await?;
        let count = sqlx::query_scalar(include_str!("../../sql/webhooks/count.sql"));
        let count: i64 = count.bind(self.db.project).fetch_one(&mut *transaction).await?;
        if count >= MOST_ENDPOINTS {
            return Err(StoreError::Conflict { what: "a project has at most 10 webhooks: delete one first" });
        }
        let place = SealedColumn::WebhookSecret.of(new.webhook_id);
        let secret = transaction.sealer.seal_text(place, new.secret.expose_secret())?.into_owned();
        let row = sqlx::query_as(include_str!("../../sql/webhooks/insert.sql"))
            .bind(self.db.project)
            .bind(new.webhook_id)
            .bind(&new.url)
            .bind(&new.description)
            .bind(WebhookEventType::set(&new.types))
            .bind(new.include_texts)
            .bind(secret)
            .bind(&actor.name)
            .fetch_one(&mut *transaction)
            .await?;
        refresh_types(&mut transaction).await?;
        audit::record(&mut transaction, actor, "webhook.create", &new.webhook_id.to_string()).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Removes an endpoint.
    pub async fn delete(&self, webhook: WebhookId, actor: &AuditActor) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        lock_project(&mut transaction).await?;
        lock_queue(&mut transaction, webhook).await?.ok_or(NOT_FOUND)?;
        let deleted = sqlx::query(include_str!("../../sql/webhooks/delete.sql"));
        let deleted = deleted.bind(self.db.project).bind(webhook).execute(&mut *transaction).await?;
        if deleted.rows_affected() == 0 {
            return Err(NOT_FOUND);
        }
        refresh_types(&mut transaction).await?;
        audit::record(&mut transaction, actor, "webhook.delete", &webhook.to_string()).await?;
        transaction.commit().await
    }
}

pub(super) const NOT_FOUND: StoreError = StoreError::NotFound { what: "webhook" };

/// Changes of endpoints are made one after the other, because they decide together which types the project sends.
pub(super) async fn lock_project(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let locked = sqlx::query(include_str!("../../sql/projects/lock.sql")).bind(transaction.project);
    let locked = locked.fetch_optional(&mut **transaction).await?;
    locked.map(drop).ok_or(StoreError::NotFound { what: "project" })
}

/// Forgets what was announced, because an endpoint begins to receive events: a problem that exists is announced again. Before
/// the queue rows, as when a state is announced.
pub(super) async fn forget_announced(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let forgotten = sqlx::query(include_str!("../../sql/webhooks/forget_announced.sql"));
    forgotten.bind(transaction.project).execute(&mut **transaction).await?;
    Ok(())
}

/// Locks the queue row of an endpoint, and returns the position of its last delivery. All transactions lock the project, then
/// queue rows, then the endpoint, so that none waits for another in a circle. `None` if there is no such endpoint.
pub(super) async fn lock_queue(
    transaction: &mut ProjectTx,
    webhook: WebhookId,
) -> Result<Option<i64>, StoreError> {
    let locked = sqlx::query_scalar(include_str!("../../sql/webhooks/lock_queue.sql"));
    Ok(locked.bind(transaction.project).bind(webhook).fetch_optional(&mut **transaction).await?)
}

/// Writes which types of events the project sends.
pub(super) async fn refresh_types(transaction: &mut ProjectTx) -> Result<(), StoreError> {
    let refreshed = sqlx::query(include_str!("../../sql/webhooks/refresh_types.sql"));
    refreshed.bind(transaction.project).execute(&mut **transaction).await?;
    Ok(())
}
