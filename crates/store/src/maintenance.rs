//! Periodic work: partitions, expiry of rows, lost jobs, deleted projects.

use std::time::Duration;

use reflect_types::ProjectId;
use sqlx::{Connection, PgConnection};

use crate::audit_chain::AuditChainStore;
use crate::db::{Db, ProjectDb};
use crate::error::StoreError;
use crate::graphs::GraphStore;
use crate::{erasures, jobs, sessions, tables};

/// Periodic work on the whole database.
#[derive(Debug, Clone, Copy)]
pub struct MaintenanceStore<'a> {
    pub(crate) db: &'a Db,
}

/// Long enough for every server to detect the deletion of a project.
const REST: Duration = Duration::from_secs(60);

/// What happened to one partition.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PartitionWork {
    /// `made`, `dropped`, `stray` (rows moved from a default partition to their own) or `left` (rows that are still
    /// in a default partition).
    pub action: String,
    /// Which one.
    pub partition: String,
    /// How many rows.
    pub row_count: i64,
}

/// What one round of maintenance did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// What happened to partitions.
    pub partitions: Vec<PartitionWork>,
    /// How many expired rows were removed.
    pub forgotten: u64,
    /// How many reviews and erasures had no job.
    pub requeued: u64,
    /// How many rows of deleted projects were removed.
    pub purged_rows: u64,
}

impl MaintenanceReport {
    /// Rows found in a default partition, moved or not. 0 unless a clock was wrong or maintenance did not run for
    /// weeks.
    pub fn stray_rows(&self) -> i64 {
        let strays = self.partitions.iter().filter(|work| matches!(work.action.as_str(), "stray" | "left"));
        strays.map(|work| work.row_count).sum()
    }
}

impl<'a> MaintenanceStore<'a> {
    /// The hash chains of the audit log, which are written in the background.
    pub const fn audit_chains(self) -> AuditChainStore<'a> {
        AuditChainStore { db: self.db }
    }

    /// The graphs of large projects, which are built in the background.
    pub const fn graphs(self) -> GraphStore<'a> {
        GraphStore { db: self.db }
    }

    /// Creates the partitions of the coming weeks and drops the expired ones, with the rights of the tables' owner. Also
    /// removes the links of expired audit entries.
    pub async fn keep_partitions(self) -> Result<Vec<PartitionWork>, StoreError> {
        let mut connection = PgConnection::connect_with(&self.db.owner).await?;
        let work = keep_partitions(&mut connection).await?;
        sqlx::query(include_str!("../sql/maintenance/prune_audit_chains.sql"))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(work)
    }

    /// One round of all periodic work. Safe to run on several servers at once.
    pub async fn run(self) -> Result<MaintenanceReport, StoreError> {
        Ok(MaintenanceReport {
            partitions: self.keep_partitions().await?,
            forgotten: self.forget().await?,
            requeued: self.requeue().await?,
            purged_rows: self.purge_deleted_projects(REST).await?,
        })
    }

    async fn requeue(&self) -> Result<u64, StoreError> {
        sqlx::query(include_str!("../sql/maintenance/sweep_jobs.sql")).execute(&self.db.pools.work).await?;
        let mut requeued = 0;
        for (project, _) in projects(self.db).await? {
            requeued += jobs::requeue_orphans(&self.db.project(project)).await?;
            requeued += erasures::requeue(&self.db.project(project)).await?;
        }
        Ok(requeued)
    }

    /// Project by project, because no statement works across projects.
    async fn forget(&self) -> Result<u64, StoreError> {
        let mut forgotten = sessions::forget(self.db).await?;
        for (project, _) in projects(self.db).await? {
            let project = self.db.project(project);
            for statement in tables::sweep_statements() {
                forgotten += project.repeat(statement).await?;
            }
        }
        Ok(forgotten)
    }

    /// Removes the rows of every project that was deleted at least `rest` ago. Returns how many rows.
    pub async fn purge_deleted_projects(&self, rest: Duration) -> Result<u64, StoreError> {
        let deleted: Vec<ProjectId> =
            sqlx::query_scalar(include_str!("../sql/catalogue/list_deleted_projects.sql"))
                .bind(rest.as_secs_f64())
                .fetch_all(&self.db.pools.reads)
                .await?;
        let mut removed = 0;
        for project in deleted {
            removed += purge(&self.db.project(project)).await?;
        }
        Ok(removed)
    }
}

pub(crate) async fn keep_partitions(connection: &mut PgConnection) -> Result<Vec<PartitionWork>, StoreError> {
    let work = sqlx::query_as(include_str!("../sql/maintenance/keep_partitions.sql"));
    Ok(work.fetch_all(connection).await?)
}

/// Removes all rows of a deleted project. Can be interrupted and run again.
async fn purge(project: &ProjectDb) -> Result<u64, StoreError> {
    let mut removed = 0;
    for statement in tables::purge_statements() {
        removed += project.repeat(statement).await?;
    }
    let mut transaction = project.write().await?;
    let forget = sqlx::query(include_str!("../sql/projects/remove.sql")).bind(project.project);
    forget.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(removed)
}

async fn projects(db: &Db) -> Result<Vec<(ProjectId, String)>, StoreError> {
    let projects = sqlx::query_as(include_str!("../sql/catalogue/list_projects.sql"));
    Ok(projects.fetch_all(&db.pools.reads).await?)
}
