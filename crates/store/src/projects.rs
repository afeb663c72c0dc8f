//! The end of a project: out of use at once, removed some rows at a time.

use std::time::Duration;

use reflect_types::ProjectId;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;

/// Every table that holds rows of a project, but for the audit log, which outlives them.
const PURGES: &[&str] = &[
    include_str!("../sql/projects/purge_trace_body.sql"),
    include_str!("../sql/projects/purge_trace.sql"),
    include_str!("../sql/projects/purge_trace_state.sql"),
    include_str!("../sql/projects/purge_review.sql"),
    include_str!("../sql/projects/purge_memory_vector.sql"),
    include_str!("../sql/projects/purge_memory_stat.sql"),
    include_str!("../sql/projects/purge_memory.sql"),
    include_str!("../sql/projects/purge_utility_event.sql"),
    include_str!("../sql/projects/purge_retrieval.sql"),
    include_str!("../sql/projects/purge_idempotency.sql"),
    include_str!("../sql/projects/purge_draft.sql"),
    include_str!("../sql/projects/purge_spending.sql"),
    include_str!("../sql/projects/purge_client_report.sql"),
    include_str!("../sql/projects/purge_skill.sql"),
    include_str!("../sql/projects/purge_parked_vector.sql"),
    include_str!("../sql/projects/purge_action.sql"),
    include_str!("../sql/projects/purge_queue_entry.sql"),
    include_str!("../sql/projects/purge_memory_change.sql"),
    include_str!("../sql/projects/purge_memory_version.sql"),
    include_str!("../sql/projects/purge_version_vector.sql"),
    include_str!("../sql/projects/purge_judgement.sql"),
    include_str!("../sql/projects/purge_space_change.sql"),
    include_str!("../sql/projects/purge_erasure.sql"),
    include_str!("../sql/projects/purge_memory_corroboration.sql"),
];

impl ProjectCtx {
    /// Takes the project out of use and ends its keys. Says how many keys it ended.
    pub async fn delete_project(&self, slug: &str, actor: &Actor) -> Result<u64, StoreError> {
        let mut transaction = self.write().await?;
        let deleted = sqlx::query(include_str!("../sql/projects/delete.sql")).bind(self.project);
        if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "project" });
        }
        let revoked = sqlx::query(include_str!("../sql/keys/revoke_all.sql")).bind(self.project);
        let revoked = revoked.execute(&mut *transaction).await?.rows_affected();
        let unlearned = sqlx::query(include_str!("../sql/jobs/remove_all.sql")).bind(self.project);
        unlearned.execute(&mut *transaction).await?;
        self.note(&mut transaction, actor, "project.delete", slug).await?;
        self.commit(transaction).await?;
        Ok(revoked)
    }

    /// Removes all rows of a deleted project. Can be stopped anywhere and run again.
    async fn purge(&self) -> Result<u64, StoreError> {
        let mut removed = 0;
        for purge in PURGES {
            removed += self.repeat(purge).await?;
        }
        let mut transaction = self.write().await?;
        let forget = sqlx::query(include_str!("../sql/projects/forget.sql")).bind(self.project);
        forget.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(removed)
    }
}

impl Store {
    /// Removes the rows of every project that was deleted at least `rest` ago. Says how many went.
    pub async fn purge_deleted_projects(&self, rest: Duration) -> Result<u64, StoreError> {
        let deleted: Vec<ProjectId> =
            sqlx::query_scalar(include_str!("../sql/catalogue/list_deleted_projects.sql"))
                .bind(rest.as_secs_f64())
                .fetch_all(&self.pools.reads)
                .await?;
        let mut removed = 0;
        for project in deleted {
            removed += self.project(project).purge().await?;
        }
        Ok(removed)
    }
}
