//! API keys of a project, by digest. The keys of the installation itself are the master keys.

use chrono::{DateTime, Utc};
use reflect_types::{Environment, KeyId, ProjectId, Scope, Trust};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use crate::audit::{self, AuditActor};
use crate::codes::scopes;
use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::idempotency::{self, Claim};

/// A key to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Its id.
    pub key_id: KeyId,
    /// The part of its text by which it is found.
    pub public_id: String,
    /// SHA-256 of its text.
    pub digest: [u8; 32],
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Where it is meant to be used.
    pub environment: Environment,
    /// Its trust level.
    pub trust: Trust,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A stored key, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Its id.
    pub key_id: KeyId,
    /// The part of its text that may be shown.
    pub public_id: String,
    /// Its project; none for a master key.
    pub project: Option<ProjectId>,
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Where it is meant to be used.
    pub environment: Environment,
    /// Its trust level.
    pub trust: Trust,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Whether it has expired.
    pub expired: bool,
}

impl FromRow<'_, PgRow> for KeyRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            key_id: row.try_get("key_id")?,
            public_id: row.try_get("public_id")?,
            project: row.try_get("project_id")?,
            label: row.try_get("label")?,
            scopes: scopes(row)?,
            environment: coded(Environment::from_code(row.try_get("environment")?))?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            created_at: row.try_get("created_at")?,
            last_used_at: row.try_get("last_used_at")?,
            expires_at: row.try_get("expires_at")?,
            revoked_at: row.try_get("revoked_at")?,
            expired: row.try_get("expired")?,
        })
    }
}

/// The API keys of a project.
#[derive(Debug, Clone, Copy)]
pub struct KeyStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl KeyStore<'_> {
    /// Stores a key. A repeated call is refused, because the answer contained a secret.
    pub async fn create(
        &self,
        key: &NewKey,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, StoreError> {
        let mut transaction = self.db.write().await?;
        idempotency::claim::<()>(&mut transaction, claim, None).await?;
        let row = insert(&mut transaction, key, actor).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// The keys older than `before`, newest first, with the master keys if `with_master` is set.
    pub async fn list(
        &self,
        with_master: bool,
        before: Option<KeyId>,
        limit: i64,
    ) -> Result<Vec<KeyRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = sqlx::query_as(include_str!("../sql/keys/list.sql"))
            .bind(self.db.project)
            .bind(with_master)
            .bind(before.map_or(Uuid::max(), KeyId::as_uuid))
            .bind(limit)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// Revokes a key.
    pub async fn revoke(
        &self,
        key: KeyId,
        with_master: bool,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return Ok(earlier);
        }
        let row: Option<KeyRow> = sqlx::query_as(include_str!("../sql/keys/revoke.sql"))
            .bind(self.db.project)
            .bind(key)
            .bind(with_master)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "key" })?;
        audit::record(&mut transaction, actor, "key.revoke", &row.public_id).await?;
        idempotency::save_answer(&mut transaction, claim, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }
}

pub(crate) async fn insert(
    transaction: &mut ProjectTx,
    key: &NewKey,
    actor: &AuditActor,
) -> Result<KeyRow, StoreError> {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let row: Option<KeyRow> = sqlx::query_as(include_str!("../sql/keys/insert.sql"))
        .bind(transaction.project)
        .bind(key.key_id)
        .bind(&key.public_id)
        .bind(key.digest)
        .bind(&key.label)
        .bind(scopes)
        .bind(key.environment.code())
        .bind(key.trust.code())
        .bind(&actor.name)
        .bind(key.expires_at)
        .fetch_optional(&mut **transaction)
        .await?;
    let row = row.ok_or(StoreError::NotFound { what: "project" })?;
    audit::record(transaction, actor, "key.create", &key.public_id).await?;
    Ok(row)
}
