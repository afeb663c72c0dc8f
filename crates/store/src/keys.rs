//! API keys of a project, by digest. The keys of the installation itself are the master keys.

use chrono::{DateTime, Utc};
use reflect_types::{Environment, KeyId, ProjectId, Scope, Trust};
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::QueryScalar;
use sqlx::{FromRow, Postgres, Row};
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
    /// The key with which it is created. It is revoked with that key.
    pub parent: Option<KeyId>,
    /// The address ranges from which it works. Empty: all.
    pub address_ranges: Vec<String>,
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
    /// Who made it.
    #[serde(default)]
    pub created_by: String,
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
    /// The key with which it was created.
    #[serde(default)]
    pub parent: Option<KeyId>,
    /// The address ranges from which it works. Empty: all.
    #[serde(default)]
    pub address_ranges: Vec<String>,
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
            created_by: row.try_get("created_by")?,
            created_at: row.try_get("created_at")?,
            last_used_at: row.try_get("last_used_at")?,
            expires_at: row.try_get("expires_at")?,
            revoked_at: row.try_get("revoked_at")?,
            expired: row.try_get("expired")?,
            parent: row.try_get("parent_key")?,
            address_ranges: row.try_get("address_ranges")?,
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

    /// One key.
    pub async fn get(&self, key: KeyId, with_master: bool) -> Result<KeyRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let row = sqlx::query_as(include_str!("../sql/keys/get.sql"))
            .bind(self.db.project)
            .bind(key)
            .bind(with_master)
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        row.ok_or(StoreError::NotFound { what: "key" })
    }

    /// Whether a key was created with another one, or with a key below it.
    pub async fn depends_on(&self, key: KeyId, on: KeyId) -> Result<bool, StoreError> {
        let mut transaction = self.db.read().await?;
        let depends = sqlx::query_scalar(include_str!("../sql/catalogue/depends_on_key.sql"));
        let depends = depends.bind(key).bind(on).fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(depends)
    }

    /// Stores a key in place of another one, which ends after `overlap` seconds. Keys that were created with the old
    /// key depend on the new one. A repeated call is refused, because the answer contained a secret.
    pub async fn rotate(
        &self,
        old: KeyId,
        new: &NewKey,
        overlap: u32,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, StoreError> {
        let mut transaction = self.db.write().await?;
        idempotency::claim::<()>(&mut transaction, claim, None).await?;
        let row = insert(&mut transaction, new, actor).await?;
        let retired: Option<KeyRow> = sqlx::query_as(include_str!("../sql/keys/retire.sql"))
            .bind(self.db.project)
            .bind(old)
            .bind(f64::from(overlap))
            .fetch_optional(&mut *transaction)
            .await?;
        let what = "the key is revoked or has expired; create a new key instead";
        let retired = retired.ok_or(StoreError::Conflict { what })?;
        let adopt = sqlx::query(include_str!("../sql/keys/adopt.sql"));
        adopt.bind(self.db.project).bind(old).bind(new.key_id).execute(&mut *transaction).await?;
        audit::record(&mut transaction, actor, "key.rotate", &retired.public_id).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Revokes a key and all keys that were created with it. Returns the key, and the public ids of the others.
    pub async fn revoke(
        &self,
        key: KeyId,
        with_master: bool,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<(KeyRow, Vec<String>), StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat((earlier, Vec::new())).await;
        }
        let row: Option<KeyRow> = sqlx::query_as(include_str!("../sql/keys/revoke.sql"))
            .bind(self.db.project)
            .bind(key)
            .bind(with_master)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "key" })?;
        audit::record(&mut transaction, actor, "key.revoke", &row.public_id).await?;
        let below = include_str!("../sql/catalogue/revoke_keys_below.sql");
        let below = revoke_all(&mut transaction, actor, || sqlx::query_scalar(below).bind(key)).await?;
        idempotency::save_answer(&mut transaction, claim, &row).await?;
        transaction.commit().await?;
        Ok((row, below))
    }
}

type PublicIds = QueryScalar<'static, Postgres, String, PgArguments>;

/// Revokes all keys of a creator, such as `member:Ana`, and all keys that were created with these. Returns their public
/// ids.
pub(crate) async fn revoke_created_by(
    transaction: &mut ProjectTx,
    creator: &str,
    actor: &AuditActor,
) -> Result<Vec<String>, StoreError> {
    let made = include_str!("../sql/catalogue/revoke_keys_of.sql");
    revoke_all(transaction, actor, || sqlx::query_scalar(made).bind(creator.to_owned())).await
}

/// Repeats a statement that revokes keys until it revokes none. A key that is created at the same time holds a lock on
/// its parent, so the next statement sees it.
async fn revoke_all(
    transaction: &mut ProjectTx,
    actor: &AuditActor,
    statement: impl Fn() -> PublicIds,
) -> Result<Vec<String>, StoreError> {
    let mut revoked = Vec::new();
    loop {
        let batch = statement().fetch_all(&mut **transaction).await?;
        if batch.is_empty() {
            return Ok(revoked);
        }
        for public_id in &batch {
            audit::record(transaction, actor, "key.revoke", public_id).await?;
        }
        revoked.extend(batch);
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
        .bind(key.parent)
        .bind(&key.address_ranges)
        .fetch_optional(&mut **transaction)
        .await?;
    let what = "the project is deleted, or the key or member that creates this key is no longer valid";
    let row = row.ok_or(StoreError::Conflict { what })?;
    audit::record(transaction, actor, "key.create", &key.public_id).await?;
    Ok(row)
}
