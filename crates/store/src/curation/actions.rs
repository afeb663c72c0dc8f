//! Reading actions back.

use uuid::Uuid;

use super::CurationStore;
use crate::actions::ActionRow;
use crate::error::StoreError;
use crate::ids::ActionId;

impl CurationStore<'_> {
    /// An action of this project.
    pub async fn action(&self, action: ActionId) -> Result<ActionRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let found =
            sqlx::query_as(include_str!("../../sql/actions/find.sql")).bind(self.db.project).bind(action);
        let found: Option<ActionRow> = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "action" })
    }

    /// The newest actions before a cursor, and the cursor to go on from. `include_automatic`: also those of the server.
    pub async fn actions(
        &self,
        before: Option<ActionId>,
        limit: u32,
        include_automatic: bool,
    ) -> Result<(Vec<ActionRow>, Option<ActionId>), StoreError> {
        // Two statements: a plan for both would read all actions of the server to find those of callers.
        let statement = match include_automatic {
            true => include_str!("../../sql/actions/list_all.sql"),
            false => include_str!("../../sql/actions/list.sql"),
        };
        let mut transaction = self.db.read().await?;
        let mut rows: Vec<ActionRow> = sqlx::query_as(statement)
            .bind(self.db.project)
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
    /// The newest actions of the server of one kind that are not undone, before a cursor.
    pub async fn automatic(
        &self,
        kind: &str,
        before: Option<ActionId>,
        most: i64,
    ) -> Result<Vec<ActionId>, StoreError> {
        let mut transaction = self.db.read().await?;
        let found = sqlx::query_scalar(include_str!("../../sql/actions/automatic.sql"))
            .bind(self.db.project)
            .bind(before.unwrap_or(Uuid::max()))
            .bind(kind)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(found)
    }
}
