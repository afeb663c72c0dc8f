//! The steps of maintenance and their stored state: how far a cycle is, and when one last ended without an error.

use std::time::Duration;

use reflect_types::ProjectId;
use sqlx::{Connection, PgConnection};

use super::leader::MaintenanceLeader;
use crate::db::Db;
use crate::error::StoreError;

macro_rules! steps {
    ($($(#[$doc:meta])* $step:ident = $name:literal),+ $(,)?) => {
        /// A step of maintenance. Each has its own progress and its own error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum MaintenanceStep { $($(#[$doc])* $step),+ }

        impl MaintenanceStep {
            /// Every step, in the order in which they run.
            pub const ALL: &'static [Self] = &[$(Self::$step),+];

            /// The name in metrics and in the database.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$step => $name),+ }
            }
        }
    };
}

steps! {
    /// Creates coming partitions and drops expired ones.
    Partitions = "partitions",
    /// Removes links of expired audit entries.
    AuditChains = "audit_chains",
    /// Removes sessions and sign-in links that ended.
    Sessions = "sessions",
    /// Returns jobs of unknown workers and of earlier versions to the queue.
    Jobs = "jobs",
    /// Queues reviews and erasures that have no job.
    LostJobs = "lost_jobs",
    /// Removes rows that are not needed any more.
    ExpiredRows = "expired_rows",
    /// Applies the retention settings of projects.
    Retention = "retention",
    /// Adds missing vectors.
    Vectors = "vectors",
    /// Groups the memories of earlier versions into lessons.
    Lessons = "lessons",
    /// Continues embedding migrations whose job was lost, and finishes old ones.
    Migrations = "migrations",
    /// Announces changes of loop health to webhooks.
    Health = "health",
    /// Removes the rows of deleted projects.
    DeletedProjects = "deleted_projects",
}

impl MaintenanceStep {
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|step| step.name() == name)
    }
}

/// The stored state of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepState {
    /// The step.
    pub step: MaintenanceStep,
    /// The last project that the cycle has visited; the installation between two cycles.
    pub visited: ProjectId,
    /// How long the last cycle has worked.
    pub worked: Duration,
    /// In how many projects it failed.
    pub failed_projects: i32,
    /// The error since the last cycle that succeeded.
    pub last_error: Option<String>,
    /// How long ago the last cycle ended, with or without an error.
    pub ended: Option<Duration>,
    /// How long ago a cycle last succeeded; how long ago the first one began if none did.
    pub age: Duration,
}

/// What a step has done so far.
#[derive(Debug, Clone, PartialEq)]
pub struct StepProgress {
    /// The step.
    pub step: MaintenanceStep,
    /// The last project that the cycle has visited.
    pub visited: ProjectId,
    /// How long the cycle has worked.
    pub worked: Duration,
    /// In how many projects it failed.
    pub failed_projects: i32,
    /// Its first error.
    pub error: Option<String>,
    /// Whether the cycle is at its end.
    pub ended: bool,
}

#[derive(sqlx::FromRow)]
struct StepRow {
    step: String,
    visited_project: i32,
    worked: f64,
    failed_projects: i32,
    last_error: Option<String>,
    ended_seconds: Option<f64>,
    age_seconds: f64,
}

/// The state of all steps.
#[derive(Debug, Clone, Copy)]
pub struct MaintenanceSteps<'a> {
    pub(super) db: &'a Db,
}

impl MaintenanceSteps<'_> {
    /// Makes this process the one that does maintenance. `None` if another process is.
    pub async fn lead(self) -> Result<Option<MaintenanceLeader>, StoreError> {
        MaintenanceLeader::elect(PgConnection::connect_with(&self.db.owner).await?).await
    }

    /// The state of every step that has run. Steps of a newer version are left out.
    pub async fn all(self) -> Result<Vec<StepState>, StoreError> {
        let rows = sqlx::query_as(include_str!("../../sql/maintenance/steps.sql"));
        let rows: Vec<StepRow> = rows.fetch_all(&self.db.pools.lookups).await?;
        Ok(rows.into_iter().filter_map(state).collect())
    }

    /// Stores the progress of a step.
    pub async fn save(self, progress: &StepProgress) -> Result<(), StoreError> {
        let visited = if progress.ended { ProjectId::INSTALLATION } else { progress.visited };
        sqlx::query(include_str!("../../sql/maintenance/save_step.sql"))
            .bind(progress.step.name())
            .bind(visited)
            .bind(progress.worked.as_secs_f64())
            .bind(progress.failed_projects)
            .bind(progress.error.as_ref().map(|error| error.replace('\0', "\u{fffd}")))
            .bind(progress.ended)
            .execute(&self.db.pools.writes)
            .await?;
        Ok(())
    }
}

fn state(row: StepRow) -> Option<StepState> {
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default();
    Some(StepState {
        step: MaintenanceStep::named(&row.step)?,
        visited: ProjectId::new(row.visited_project),
        worked: seconds(row.worked),
        failed_projects: row.failed_projects,
        last_error: row.last_error,
        ended: row.ended_seconds.map(seconds),
        age: seconds(row.age_seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_steps_are_unique() {
        for step in MaintenanceStep::ALL {
            assert_eq!(MaintenanceStep::named(step.name()), Some(*step));
        }
        assert_eq!(MaintenanceStep::named("of a newer version"), None);
    }
}
