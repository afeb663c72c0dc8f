//! Administration of a project: settings, retention, audit log, deletion.

mod retention;

use serde_json::Value;

use crate::audit::{self, AuditActor, AuditRow};
use crate::db::ProjectDb;
use crate::error::StoreError;

/// Administration of one project.
#[derive(Debug, Clone, Copy)]
pub struct AdminStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl AdminStore<'_> {
    /// Changes some settings of the project and returns all of them. Waiting jobs are retried, because the setting
    /// may resolve what they wait for.
    pub async fn update_settings(&self, settings: &Value, actor: &AuditActor) -> Result<Value, StoreError> {
        let mut transaction = self.db.write().await?;
        let set = sqlx::query_scalar(include_str!("../../sql/projects/set.sql"))
            .bind(self.db.project)
            .bind(settings);
        let settings: Option<Value> = set.fetch_optional(&mut *transaction).await?;
        let woken = sqlx::query(include_str!("../../sql/jobs/wake.sql")).bind(self.db.project);
        woken.execute(&mut *transaction).await?;
        audit::record(&mut transaction, actor, "project.change", &self.db.project.number().to_string())
            .await?;
        transaction.commit().await?;
        settings.ok_or(StoreError::NotFound { what: "project" })
    }

    /// Marks the project as deleted and revokes its keys. Returns how many keys were revoked.
    pub async fn delete(&self, slug: &str, actor: &AuditActor) -> Result<u64, StoreError> {
        let mut transaction = self.db.write().await?;
        let deleted = sqlx::query(include_str!("../../sql/projects/delete.sql")).bind(self.db.project);
        if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "project" });
        }
        let revoked = sqlx::query(include_str!("../../sql/keys/revoke_all.sql")).bind(self.db.project);
        let revoked = revoked.execute(&mut *transaction).await?.rows_affected();
        let unlearned = sqlx::query(include_str!("../../sql/jobs/remove_all.sql")).bind(self.db.project);
        unlearned.execute(&mut *transaction).await?;
        audit::record(&mut transaction, actor, "project.delete", slug).await?;
        transaction.commit().await?;
        Ok(revoked)
    }

    /// The newest entries first.
    pub async fn audit_entries(&self, limit: i64) -> Result<Vec<AuditRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = sqlx::query_as(include_str!("../../sql/audit/list.sql")).bind(self.db.project).bind(limit);
        let rows = rows.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(rows)
    }
}
