//! Periodic work: partitions, expiry of rows, lost jobs, deleted projects. The engine decides when a step runs.

mod leader;
mod steps;

use std::time::Duration;

use reflect_types::{ProjectId, WebhookEventType};
use serde_json::Value;
use sqlx::{Connection, PgConnection};

use crate::audit_chain::AuditChainStore;
use crate::db::Db;
use crate::error::StoreError;
use crate::graphs::GraphStore;
use crate::partitions::{PartitionWork, keep_partitions};
use crate::{erasures, jobs, sessions, signals, tables, traces};
pub use leader::MaintenanceLeader;
pub use steps::{MaintenanceStep, MaintenanceSteps, StepProgress, StepState};

/// Periodic work on the whole database.
#[derive(Debug, Clone, Copy)]
pub struct MaintenanceStore<'a> {
    pub(crate) db: &'a Db,
}

/// Long enough for every server to detect the deletion of a project.
const REST: Duration = Duration::from_secs(60);
/// How many projects are read at once.
const PAGE: i64 = 200;

/// Rows found in a default partition, moved or not. 0 unless a clock was wrong or maintenance did not run for weeks.
pub fn stray_rows(partitions: &[PartitionWork]) -> i64 {
    let strays = partitions.iter().filter(|work| matches!(work.action.as_str(), "stray" | "left"));
    strays.map(|work| work.row_count).sum()
}

/// What one round of all steps did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// What happened to partitions.
    pub partitions: Vec<PartitionWork>,
    /// How many expired rows were removed.
    pub forgotten: u64,
    /// How many reviews, erasures, runs with waiting signals and runs of spans had no job.
    pub requeued: u64,
    /// How many rows of deleted projects were removed.
    pub purged_rows: u64,
}

impl MaintenanceReport {
    /// Rows found in a default partition.
    pub fn stray_rows(&self) -> i64 {
        stray_rows(&self.partitions)
    }
}

/// What a step needs to know about a project.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct MaintainedProject {
    /// Its number.
    pub project_id: ProjectId,
    /// Its settings.
    pub settings: Value,
    /// Whether it has an embedding space.
    pub has_vectors: bool,
    /// Whether it has ever received a signal.
    pub has_signals: bool,
    /// The types of events that its webhooks receive.
    pub webhook_types: i32,
}

impl MaintainedProject {
    /// Whether a webhook of the project receives events of this type.
    pub const fn receives(&self, event_type: WebhookEventType) -> bool {
        self.webhook_types & event_type.bit() != 0
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

    /// The state of the steps, and which process runs them.
    pub const fn steps(self) -> MaintenanceSteps<'a> {
        MaintenanceSteps { db: self.db }
    }

    /// Creates the partitions of the coming weeks and drops the expired ones, with the rights of the tables' owner.
    pub async fn keep_partitions(self) -> Result<Vec<PartitionWork>, StoreError> {
        let mut connection = PgConnection::connect_with(&self.db.owner).await?;
        let work = keep_partitions(&mut connection).await?;
        connection.close().await?;
        Ok(work)
    }

    /// Removes sessions and links that ended long ago. Returns how many sessions.
    pub async fn remove_sessions(self) -> Result<u64, StoreError> {
        sessions::forget(self.db).await
    }

    /// Some projects in use after this one, by number.
    pub async fn project_page(self, after: ProjectId) -> Result<Vec<MaintainedProject>, StoreError> {
        let page = sqlx::query_as(include_str!("../../sql/maintenance/project_page.sql"));
        Ok(page.bind(after).bind(PAGE).fetch_all(&self.db.pools.reads).await?)
    }

    /// Some deleted projects after this one, by number, whose rows can be removed.
    pub async fn deleted_page(self, after: ProjectId) -> Result<Vec<ProjectId>, StoreError> {
        deleted_page(self.db, after, REST).await
    }

    /// Removes rows of a project that are not needed any more. Returns how many.
    pub async fn remove_unneeded(self, project: ProjectId) -> Result<u64, StoreError> {
        let db = self.db.project(project);
        let (mut removed, mut found) = (0, Vec::new());
        // Mostly there is nothing to remove: one transaction for all tables.
        let mut transaction = db.write().await?;
        for statement in tables::sweep_statements() {
            let rows = sqlx::query(statement).bind(project).execute(&mut *transaction).await?.rows_affected();
            removed += rows;
            if rows > 0 {
                found.push(statement);
            }
        }
        transaction.commit().await?;
        for statement in found {
            removed += db.repeat(statement).await?;
        }
        Ok(removed)
    }

    /// Queues reviews, erasures, runs with waiting signals and runs of spans of a project that have no job. Returns how
    /// many.
    pub async fn requeue_lost(self, project: &MaintainedProject) -> Result<u64, StoreError> {
        let db = self.db.project(project.project_id);
        let signals = if project.has_signals { signals::requeue(&db).await? } else { 0 };
        let spans = traces::requeue_spans(&db).await?;
        Ok(jobs::requeue_orphans(&db).await? + erasures::requeue(&db).await? + signals + spans)
    }

    /// Removes all rows of a deleted project. Can be interrupted and run again. Returns how many rows.
    pub async fn purge(self, project: ProjectId) -> Result<u64, StoreError> {
        let db = self.db.project(project);
        let mut removed = 0;
        for statement in tables::purge_statements() {
            removed += db.repeat(statement).await?;
        }
        let mut transaction = db.write().await?;
        let forget = sqlx::query(include_str!("../../sql/projects/remove.sql")).bind(project);
        forget.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(removed)
    }

    /// Removes the rows of every project that was deleted at least `rest` ago. Returns how many rows.
    pub async fn purge_deleted_projects(&self, rest: Duration) -> Result<u64, StoreError> {
        let (mut after, mut removed) = (ProjectId::INSTALLATION, 0);
        loop {
            let page = deleted_page(self.db, after, rest).await?;
            let Some(last) = page.last() else { return Ok(removed) };
            after = *last;
            for project in page {
                removed += self.purge(project).await?;
            }
        }
    }

    /// One round of the steps of the store, for every project and without a time limit, for tests. The engine runs the
    /// steps one by one.
    pub async fn run(self) -> Result<MaintenanceReport, StoreError> {
        let partitions = self.keep_partitions().await?;
        self.audit_chains().prune().await?;
        let mut report =
            MaintenanceReport { partitions, forgotten: self.remove_sessions().await?, ..Default::default() };
        let mut after = ProjectId::INSTALLATION;
        loop {
            let page = self.project_page(after).await?;
            let Some(last) = page.last() else { break };
            after = last.project_id;
            for project in page {
                report.forgotten += self.remove_unneeded(project.project_id).await?;
                report.requeued += self.requeue_lost(&project).await?;
            }
        }
        report.purged_rows = self.purge_deleted_projects(REST).await?;
        Ok(report)
    }
}

async fn deleted_page(db: &Db, after: ProjectId, rest: Duration) -> Result<Vec<ProjectId>, StoreError> {
    let page = sqlx::query_scalar(include_str!("../../sql/maintenance/deleted_page.sql"));
    Ok(page.bind(after).bind(rest.as_secs_f64()).bind(PAGE).fetch_all(&db.pools.reads).await?)
}
