//! The audit log: who did what to which thing, from where. Never its content.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use reflect_rules::audit_chain::{AuditHash, entry_hash};
use serde_json::Value;
use uuid::Uuid;

use crate::db::ProjectTx;
use crate::error::StoreError;

/// Where a request comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOrigin {
    /// The address of the client. `None` for work that no request started.
    pub address: Option<IpAddr>,
    /// Finds the request in the server's log.
    pub request_id: Option<String>,
}

/// Who does something, as the audit log names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditActor {
    /// A key's public id, a member, or the command line.
    pub name: String,
    /// The request in which they do it.
    pub origin: RequestOrigin,
}

impl AuditActor {
    /// An actor without a request, such as a command or a job.
    pub fn local(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: RequestOrigin::default() }
    }
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
    /// From which address.
    pub address: Option<String>,
    /// More about it, as JSON in the form of the database.
    pub detail: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
}

impl AuditRow {
    /// The hash of all fields, for the chain.
    pub fn hash(&self) -> AuditHash {
        let text = |field: &Option<String>| field.as_ref().map(|text| text.as_bytes().to_vec());
        let fields = [
            Some(self.audit_id.as_bytes().to_vec()),
            Some(self.actor.as_bytes().to_vec()),
            Some(self.action.as_bytes().to_vec()),
            Some(self.target.as_bytes().to_vec()),
            text(&self.request_id),
            text(&self.address),
            text(&self.detail),
            Some(self.created_at.timestamp_micros().to_be_bytes().to_vec()),
        ];
        let fields: Vec<Option<&[u8]>> = fields.iter().map(Option::as_deref).collect();
        entry_hash(&fields)
    }
}

/// Notes an action in the transaction that performs it.
pub(crate) async fn record(
    transaction: &mut ProjectTx,
    actor: &AuditActor,
    action: &'static str,
    target: &str,
) -> Result<(), StoreError> {
    record_with(transaction, actor, action, target, None).await
}

/// The same with more about the action. The detail contains names and numbers, never content.
pub(crate) async fn record_with(
    transaction: &mut ProjectTx,
    actor: &AuditActor,
    action: &'static str,
    target: &str,
    detail: Option<&Value>,
) -> Result<(), StoreError> {
    sqlx::query(include_str!("../sql/audit/insert.sql"))
        .bind(transaction.project)
        .bind(Uuid::now_v7())
        .bind(&actor.name)
        .bind(action)
        .bind(target)
        .bind(&actor.origin.request_id)
        .bind(actor.origin.address.map(|address| address.to_string()))
        .bind(detail)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}
