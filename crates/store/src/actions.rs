//! Actions: changes by a person or by the server that can be undone.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::audit::{self, AuditActor};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ActionId;

/// An action.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct ActionRow {
    /// Its id.
    pub action_id: ActionId,
    /// Who.
    pub actor: String,
    /// What was done, as the audit log names it.
    pub kind: String,
    /// To how many and which things.
    pub summary: Value,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
    /// Who undid it.
    pub undone_by: Option<String>,
    /// How many memories it changed.
    pub memories: i64,
    /// How many reviews were given by it.
    pub reviews: i64,
}

/// The actor of what the server does by itself.
pub(crate) const SERVER: &str = "server";

/// Stores an action in the transaction that performs it, and records it in the audit log. Its changes refer to the
/// id.
pub(crate) async fn begin(
    transaction: &mut ProjectTx,
    actor: &AuditActor,
    kind: &'static str,
    summary: &Value,
) -> Result<ActionId, StoreError> {
    let action = insert(transaction, &actor.name, kind, summary).await?;
    audit::record(transaction, actor, kind, &action.to_string()).await?;
    Ok(action)
}

/// Stores an action of the server. It can be undone like any other, and is not in the audit log, which is about callers.
pub(crate) async fn begin_automatic(
    transaction: &mut ProjectTx,
    kind: &'static str,
    summary: &Value,
) -> Result<ActionId, StoreError> {
    insert(transaction, SERVER, kind, summary).await
}

async fn insert(
    transaction: &mut ProjectTx,
    actor: &str,
    kind: &'static str,
    summary: &Value,
) -> Result<ActionId, StoreError> {
    let action = Uuid::now_v7();
    sqlx::query(include_str!("../sql/actions/insert.sql"))
        .bind(transaction.project)
        .bind(action)
        .bind(actor)
        .bind(kind)
        .bind(summary)
        .execute(&mut **transaction)
        .await?;
    Ok(action)
}

/// An action whose row is locked until the transaction ends.
pub(crate) struct LockedAction {
    pub(crate) kind: String,
    pub(crate) is_undone: bool,
}

pub(crate) async fn lock(transaction: &mut ProjectTx, action: ActionId) -> Result<LockedAction, StoreError> {
    let row: Option<(String, bool)> = sqlx::query_as(include_str!("../sql/actions/lock.sql"))
        .bind(transaction.project)
        .bind(action)
        .fetch_optional(&mut **transaction)
        .await?;
    let (kind, is_undone) = row.ok_or(StoreError::NotFound { what: "action" })?;
    Ok(LockedAction { kind, is_undone })
}
