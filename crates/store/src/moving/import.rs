//! Import of rows from another database, part by part. The project is invisible until all parts are stored.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reflect_types::{CrashPoint, ProjectId, ProjectSlug};
use sqlx::types::Json;
use sqlx::{Connection, PgConnection};

use super::snapshot::{MovedProject, SpaceNumbers};
use super::{ImportStore, MoveStore, body_line, feedback_line};
use crate::audit::{self, AuditActor};
use crate::error::StoreError;
use crate::hex::from_hex;
use crate::{erasures, jobs, partitions, signals};

/// Partitions are created three weeks ahead, so steps of two weeks leave no gap.
const STEP: TimeDelta = TimeDelta::days(14);

/// A project that is being imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportMark {
    /// Its number here.
    pub project: ProjectId,
    /// The digest of the pack that it comes from.
    pub pack: String,
    /// How many parts are stored.
    pub parts: u64,
}

impl ImportStore<'_> {
    /// Creates a project for an import, or finds the unfinished import of the same pack. Another project of that name
    /// is a conflict.
    pub async fn begin(
        &self,
        slug: &ProjectSlug,
        pack: &str,
        project: &MovedProject,
    ) -> Result<ImportMark, StoreError> {
        let tag_key = match &project.tag_key {
            Some(key) => Some(from_hex(key).ok_or(StoreError::Corrupt { what: "tag key" })?),
            None => None,
        };
        let made: Option<ProjectId> =
            sqlx::query_scalar(include_str!("../../sql/catalogue/begin_import.sql"))
                .bind(slug.as_str())
                .bind(project.created_at)
                .bind(&project.settings)
                .bind(project.read_space)
                .bind(&project.write_spaces)
                .bind(Json(&project.thresholds))
                .bind(&project.pinned)
                .bind(tag_key)
                .bind(pack)
                .fetch_optional(&self.db.pools.writes)
                .await?;
        if let Some(project) = made {
            return Ok(ImportMark { project, pack: pack.to_owned(), parts: 0 });
        }
        match self.find(slug).await? {
            Some(mark) if mark.pack == pack => Ok(mark),
            Some(_) => Err(StoreError::Conflict {
                what: "a project of this name is being imported from another pack",
            }),
            None => Err(StoreError::Conflict { what: "a project of this name already exists" }),
        }
    }

    /// The running import into a project of this name.
    pub async fn find(&self, slug: &ProjectSlug) -> Result<Option<ImportMark>, StoreError> {
        let found: Option<(ProjectId, Option<String>, i32)> =
            sqlx::query_as(include_str!("../../sql/catalogue/find_import.sql"))
                .bind(slug.as_str())
                .fetch_optional(&self.db.pools.reads)
                .await?;
        let mark = found.and_then(|(project, pack, parts)| {
            Some(ImportMark { project, pack: pack?, parts: u64::try_from(parts).unwrap_or_default() })
        });
        Ok(mark)
    }

    /// How long each time-partitioned table keeps its rows. `None` is without limit.
    pub async fn kept_for(&self) -> Result<Vec<(String, Option<Duration>)>, StoreError> {
        let plans: Vec<(String, Option<f64>)> =
            sqlx::query_as(include_str!("../../sql/maintenance/partition_plans.sql"))
                .fetch_all(&self.db.pools.reads)
                .await?;
        Ok(plans.into_iter().map(|(table, kept)| (table, kept.map(Duration::from_secs_f64))).collect())
    }

    /// Creates partitions for rows of the past, as the tables' owner.
    pub async fn make_past_partitions(
        &self,
        oldest: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut connection = PgConnection::connect_with(&self.db.owner).await?;
        let mut at = oldest;
        while at < now {
            partitions::keep_partitions_at(&mut connection, at).await?;
            at += STEP;
        }
        connection.close().await?;
        Ok(())
    }

    /// Finishes a verified import and makes the project visible. Returns how many reviews and erasures got a job
    /// again.
    pub async fn finish(
        &self,
        mark: &ImportMark,
        slug: &ProjectSlug,
        actor: &AuditActor,
    ) -> Result<u64, StoreError> {
        let project = self.db.project(mark.project);
        // In the log of the installation, because the project's own log must equal the imported one.
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let finished = sqlx::query(include_str!("../../sql/moving/finish.sql"));
        let finished = finished.bind(mark.project).bind(&mark.pack).execute(&mut *transaction).await?;
        if finished.rows_affected() == 0 {
            return Err(StoreError::Conflict { what: "another process ended the import" });
        }
        audit::record(&mut transaction, actor, "project.import", slug.as_str()).await?;
        transaction.commit_at(CrashPoint::ImportFinish).await?;
        let mut queued = erasures::requeue(&project).await?;
        // In batches; queued ones are not found again.
        loop {
            match jobs::requeue_orphans(&project).await? + signals::requeue(&project).await? {
                0 => break,
                more => queued += more,
            }
        }
        let mut transaction = project.write().await?;
        jobs::enqueue_indexing(&mut transaction, Duration::ZERO).await?;
        transaction.commit().await?;
        Ok(queued)
    }
}

impl MoveStore<'_> {
    /// Stores one part and the progress in one transaction.
    pub async fn import_part(
        &self,
        mark: &ImportMark,
        table: &str,
        lines: &[&str],
        spaces: &SpaceNumbers,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.long_write().await?;
        let sealer = &transaction.sealer;
        let stored: Result<Vec<String>, StoreError> = match (table, feedback_line::column(table)) {
            ("trace_body", _) => lines.iter().map(|line| body_line::stored(sealer, line)).collect(),
            (_, Some(column)) => {
                lines.iter().map(|line| feedback_line::stored(sealer, column, line)).collect()
            }
            (_, None) => Ok(vec![lines.join(",")]),
        };
        let lines = format!("[{}]", stored?.join(","));
        let written = sqlx::query(include_str!("../../sql/moving/write.sql"))
            .bind(self.db.project)
            .bind(table)
            .bind(lines)
            .bind(Json(spaces));
        written.execute(&mut *transaction).await?;
        let marked = sqlx::query(include_str!("../../sql/moving/mark.sql"))
            .bind(self.db.project)
            .bind(&mark.pack)
            .bind(i32::try_from(mark.parts).unwrap_or(i32::MAX));
        if marked.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StoreError::Conflict { what: "another process imports the same project" });
        }
        transaction.commit_at(CrashPoint::ImportPart).await
    }

    /// Records the export in the audit log.
    pub async fn note_export(&self, slug: &str, actor: &AuditActor) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        audit::record(&mut transaction, actor, "project.export", slug).await?;
        transaction.commit().await
    }
}
