//! The audit log: who did what to which thing. Never its content.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// Who does something, as the audit log names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
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

impl ProjectCtx {
    /// Notes an action in the transaction that performs it.
    pub(crate) async fn note(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        actor: &Actor,
        action: &'static str,
        target: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(include_str!("../sql/audit/insert.sql"))
            .bind(self.project)
            .bind(Uuid::now_v7())
            .bind(&actor.name)
            .bind(action)
            .bind(target)
            .bind(&actor.request_id)
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }

    /// The newest entries first.
    pub async fn audit_entries(&self, limit: i64) -> Result<Vec<AuditRow>, StoreError> {
        let mut transaction = self.read().await?;
        let rows = sqlx::query_as(include_str!("../sql/audit/list.sql")).bind(self.project).bind(limit);
        let rows = rows.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(rows)
    }
}
