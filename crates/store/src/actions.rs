//! Actions: calls of somebody that changed something and can be undone.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// The id of an action, in the order of time.
pub type ActionId = Uuid;

/// An action.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct ActionRow {
    /// Its id.
    pub action_id: ActionId,
    /// Who.
    pub actor: String,
    /// Did what, in the word of the audit log.
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

impl ProjectCtx {
    /// Begins an action in the transaction that performs it, and notes it in the audit log. What it changes
    /// is to refer to the id.
    pub(crate) async fn begin_action(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        actor: &Actor,
        kind: &'static str,
        summary: &Value,
    ) -> Result<ActionId, StoreError> {
        let action = Uuid::now_v7();
        sqlx::query(include_str!("../sql/actions/insert.sql"))
            .bind(self.project)
            .bind(action)
            .bind(&actor.name)
            .bind(kind)
            .bind(summary)
            .execute(&mut **transaction)
            .await?;
        self.note(transaction, actor, kind, &action.to_string()).await?;
        Ok(action)
    }

    /// An action of this project.
    pub async fn action(&self, action: ActionId) -> Result<ActionRow, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../sql/actions/find.sql")).bind(self.project).bind(action);
        let found: Option<ActionRow> = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "action" })
    }

    /// The newest actions before a cursor, and the cursor to go on from.
    pub async fn actions(
        &self,
        before: Option<ActionId>,
        limit: u32,
    ) -> Result<(Vec<ActionRow>, Option<ActionId>), StoreError> {
        let mut transaction = self.read().await?;
        let mut rows: Vec<ActionRow> = sqlx::query_as(include_str!("../sql/actions/list.sql"))
            .bind(self.project)
            .bind(before.unwrap_or(Uuid::max()))
            .bind(i64::from(limit) + 1)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|last| last.action_id);
        Ok((rows, next))
    }
}
