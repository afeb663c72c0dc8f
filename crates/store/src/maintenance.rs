//! What has to be done from time to time: partitions made and dropped, old answers forgotten,
//! deleted projects removed.

use std::time::Duration;

use sqlx::{Connection, PgConnection};

use crate::error::StoreError;
use crate::store::Store;

/// Long enough for every server to have noticed that a project is gone.
const REST: Duration = Duration::from_secs(60);

/// What happened to one partition.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PartitionWork {
    /// `made`, `dropped`, `stray` (rows that a default partition had caught and that now have their
    /// own) or `left` (rows that are still in a default partition).
    pub action: String,
    /// Which one.
    pub partition: String,
    /// How many rows it is about.
    pub row_count: i64,
}

/// What one round of maintenance did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// What happened to partitions.
    pub partitions: Vec<PartitionWork>,
    /// How many answers and states were forgotten because what they belong to is gone.
    pub forgotten: u64,
    /// How many reviews waited to be learned from without a job.
    pub requeued: u64,
    /// How many rows of deleted projects were removed.
    pub purged_rows: u64,
}

impl Upkeep {
    /// Rows that had landed in a default partition, moved or not. Zero unless a clock was wrong or
    /// maintenance did not run for weeks.
    pub fn stray_rows(&self) -> i64 {
        let strays = self.partitions.iter().filter(|work| matches!(work.action.as_str(), "stray" | "left"));
        strays.map(|work| work.row_count).sum()
    }
}

impl Store {
    /// Makes the partitions of the coming weeks and drops the expired ones, as the tables' owner.
    pub async fn keep_partitions(&self) -> Result<Vec<PartitionWork>, StoreError> {
        let mut connection = PgConnection::connect_with(&self.owner).await?;
        let work = keep_partitions(&mut connection).await?;
        connection.close().await?;
        Ok(work)
    }

    /// One round of everything. Safe to run on several servers at once.
    pub async fn upkeep(&self) -> Result<Upkeep, StoreError> {
        Ok(Upkeep {
            partitions: self.keep_partitions().await?,
            forgotten: self.forget().await?,
            requeued: self.requeue().await?,
            purged_rows: self.purge_deleted_projects(REST).await?,
        })
    }

    async fn requeue(&self) -> Result<u64, StoreError> {
        sqlx::query(include_str!("../sql/maintenance/sweep_jobs.sql")).execute(&self.pools.work).await?;
        let mut requeued = 0;
        for (project, _) in self.projects().await? {
            requeued += self.project(project).requeue_orphans().await?;
            requeued += self.project(project).requeue_erasures().await?;
        }
        Ok(requeued)
    }

    /// Project by project, because no statement of ours reaches across projects.
    async fn forget(&self) -> Result<u64, StoreError> {
        let mut forgotten = self.forget_sessions().await?;
        for (project, _) in self.projects().await? {
            let project = self.project(project);
            forgotten += project.repeat(include_str!("../sql/idempotency/expire.sql")).await?;
            forgotten += project.repeat(include_str!("../sql/traces/forget_states.sql")).await?;
            forgotten += project.repeat(include_str!("../sql/review_queue/sweep.sql")).await?;
            forgotten += project.repeat(include_str!("../sql/judgements/forget.sql")).await?;
        }
        Ok(forgotten)
    }
}

pub(crate) async fn keep_partitions(connection: &mut PgConnection) -> Result<Vec<PartitionWork>, StoreError> {
    let work = sqlx::query_as(include_str!("../sql/maintenance/keep_partitions.sql"));
    Ok(work.fetch_all(connection).await?)
}
