//! Administration of a project: settings, retention, audit log, deletion.

mod retention;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::{self, AuditActor, AuditRow};
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::jobs;
use crate::webhooks::WebhookStore;

/// Administration of one project.
#[derive(Debug, Clone, Copy)]
pub struct AdminStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl<'a> AdminStore<'a> {
    /// Endpoints that receive events.
    pub const fn webhooks(self) -> WebhookStore<'a> {
        WebhookStore { db: self.db }
    }

    /// Changes some settings of the project and returns all of them. Waiting jobs are retried, because the setting
    /// may resolve what they wait for.
    pub async fn update_settings(&self, changes: &Value, actor: &AuditActor) -> Result<Value, StoreError> {
        let mut transaction = self.db.write().await?;
        let set = sqlx::query_scalar(include_str!("../../sql/projects/set.sql"))
            .bind(self.db.project)
            .bind(changes);
        let settings: Option<Value> = set.fetch_optional(&mut *transaction).await?;
        jobs::wake(&mut transaction).await?;
        // The names of the settings, not their values.
        let names: Vec<&String> =
            changes.as_object().into_iter().flat_map(|changes| changes.keys()).collect();
        let (target, detail) = (self.db.project.number().to_string(), json!({ "settings": names }));
        audit::record_with(&mut transaction, actor, "project.change", &target, Some(&detail)).await?;
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
        jobs::remove_all(&mut transaction).await?;
        let unqueued = sqlx::query(include_str!("../../sql/webhooks/unqueue_all.sql"));
        unqueued.bind(self.db.project).execute(&mut *transaction).await?;
        audit::record(&mut transaction, actor, "project.delete", slug).await?;
        transaction.commit().await?;
        Ok(revoked)
    }

    /// The entries of the audit log older than `before`, newest first.
    pub async fn audit_entries(&self, before: Option<Uuid>, limit: i64) -> Result<Vec<AuditRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows = sqlx::query_as(include_str!("../../sql/audit/list.sql")).bind(self.db.project);
        let rows = rows.bind(before.unwrap_or(Uuid::max())).bind(limit).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// Adds an entry to the audit log about something that is not a change of its own.
    pub async fn record_audit(
        &self,
        actor: &AuditActor,
        action: &'static str,
        target: &str,
        detail: Option<&Value>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        audit::record_with(&mut transaction, actor, action, target, detail).await?;
        transaction.commit().await
    }
}
