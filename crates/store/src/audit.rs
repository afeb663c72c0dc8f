//! The audit log: who did what to which thing. Never its content.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::db::ProjectTx;
use crate::error::StoreError;

/// Who does something, as the audit log names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditActor {
    /// A key's public id, or the command line.
    pub name: String,
    /// Finds the request in the server's log.
    pub request_id: Option<String>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditRow {
    /// The entry's id, in the order of time.
    pub audit_id: Uuid,
    /// Who.
    pub actor: String,
    /// Did what.
    pub action: String,
    /// To which thing.
    pub target: String,
    /// In which request.
    pub request_id: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Notes an action in the transaction that performs it.
pub(crate) async fn record(
    transaction: &mut ProjectTx,
    actor: &AuditActor,
    action: &'static str,
    target: &str,
) -> Result<(), StoreError> {
    sqlx::query(include_str!("../sql/audit/insert.sql"))
        .bind(transaction.project)
        .bind(Uuid::now_v7())
        .bind(&actor.name)
        .bind(action)
        .bind(target)
        .bind(&actor.request_id)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}
