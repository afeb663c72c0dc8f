//! Rows of another database become rows of this one, part by part, and nobody finds the project before all are here.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reflect_types::{ProjectId, ProjectSlug};
use sqlx::types::Json;
use sqlx::{Connection, PgConnection};

use super::body_line;
use super::snapshot::{MovedProject, SpaceNumbers};
use crate::audit::Actor;
use crate::error::StoreError;
use crate::maintenance::PartitionWork;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;

/// The partitions of one moment reach three weeks ahead, so that steps of two leave no gap.
const STEP: TimeDelta = TimeDelta::days(14);

/// A project that is being imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportMark {
    /// Its number here.
    pub project: ProjectId,
    /// The digest of the pack that it comes from.
    pub pack: String,
    /// How many parts of it are here.
    pub parts: u64,
}

impl Store {
    /// Makes a project to import into, or finds the one that this pack was being imported into. Another project of
    /// that name is a clash.
    pub async fn begin_import(
        &self,
        slug: &ProjectSlug,
        pack: &str,
        project: &MovedProject,
    ) -> Result<ImportMark, StoreError> {
        let tag_key = body_line::from_hex(&project.tag_key).ok_or(StoreError::Corrupt { what: "tag key" })?;
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
                .fetch_optional(&self.pools.writes)
                .await?;
        if let Some(project) = made {
            return Ok(ImportMark { project, pack: pack.to_owned(), parts: 0 });
        }
        match self.find_import(slug).await? {
            Some(mark) if mark.pack == pack => Ok(mark),
            Some(_) => Err(StoreError::Conflict {
                what: "a project of this name is being imported from another pack",
            }),
            None => Err(StoreError::Conflict { what: "a project of this name exists" }),
        }
    }

    /// The import that is under way into a project of this name.
    pub async fn find_import(&self, slug: &ProjectSlug) -> Result<Option<ImportMark>, StoreError> {
        let found: Option<(ProjectId, Option<String>, i32)> =
            sqlx::query_as(include_str!("../../sql/catalogue/find_import.sql"))
                .bind(slug.as_str())
                .fetch_optional(&self.pools.reads)
                .await?;
        let mark = found.and_then(|(project, pack, parts)| {
            Some(ImportMark { project, pack: pack?, parts: u64::try_from(parts).unwrap_or_default() })
        });
        Ok(mark)
    }

    /// For how long each table that is split by time keeps its rows; none is for ever.
    pub async fn kept_for(&self) -> Result<Vec<(String, Option<Duration>)>, StoreError> {
        let plans: Vec<(String, Option<f64>)> =
            sqlx::query_as(include_str!("../../sql/maintenance/partition_plans.sql"))
                .fetch_all(&self.pools.reads)
                .await?;
        Ok(plans.into_iter().map(|(table, kept)| (table, kept.map(Duration::from_secs_f64))).collect())
    }

    /// Makes the partitions for rows of the past, as the tables' owner.
    pub async fn make_past_partitions(
        &self,
        oldest: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut connection = PgConnection::connect_with(&self.owner).await?;
        let mut at = oldest;
        while at < now {
            let made = sqlx::query_as(include_str!("../../sql/maintenance/keep_partitions_at.sql")).bind(at);
            let _: Vec<PartitionWork> = made.fetch_all(&mut connection).await?;
            at += STEP;
        }
        connection.close().await?;
        Ok(())
    }

    /// Ends an import whose rows were found to be right: from now on the project can be used. Says how many reviews
    /// and erasures that waited have a job again.
    pub async fn finish_import(
        &self,
        mark: &ImportMark,
        slug: &ProjectSlug,
        actor: &Actor,
    ) -> Result<u64, StoreError> {
        let project = self.project(mark.project);
        let mut transaction = project.read().await?;
        let (entered, cared): (i64, i64) = sqlx::query_as(include_str!("../../sql/moving/last_numbers.sql"))
            .bind(mark.project)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let mut owner = PgConnection::connect_with(&self.owner).await?;
        let advanced = sqlx::query(include_str!("../../sql/maintenance/advance_ledgers.sql"));
        advanced.bind(entered).bind(cared).execute(&mut owner).await?;
        owner.close().await?;

        // In the log of the installation: the project's own log is what was imported, to the entry.
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let finished = sqlx::query(include_str!("../../sql/moving/finish.sql"));
        let finished = finished.bind(mark.project).bind(&mark.pack).execute(&mut *transaction).await?;
        if finished.rows_affected() == 0 {
            return Err(StoreError::Conflict { what: "the import was ended by somebody else" });
        }
        installation.note(&mut transaction, actor, "project.import", slug.as_str()).await?;
        installation.commit(transaction).await?;
        let mut queued = project.requeue_erasures().await?;
        // Some at a time; those that are queued are not found again.
        loop {
            match project.requeue_orphans().await? {
                0 => break,
                more => queued += more,
            }
        }
        project.place_later(Duration::ZERO).await?;
        Ok(queued)
    }
}

impl ProjectCtx {
    /// Writes one part and that it is here, in one transaction: a part is here as a whole or not at all.
    pub async fn import_part(
        &self,
        mark: &ImportMark,
        table: &str,
        lines: &[&str],
        spaces: &SpaceNumbers,
    ) -> Result<(), StoreError> {
        let lines = match table {
            "trace_body" => {
                let stored: Result<Vec<String>, StoreError> =
                    lines.iter().map(|line| body_line::stored(line)).collect();
                format!("[{}]", stored?.join(","))
            }
            _ => format!("[{}]", lines.join(",")),
        };
        let mut transaction = self.long_write().await?;
        let written = sqlx::query(include_str!("../../sql/moving/write.sql"))
            .bind(self.project)
            .bind(table)
            .bind(lines)
            .bind(Json(spaces));
        written.execute(&mut *transaction).await?;
        let marked = sqlx::query(include_str!("../../sql/moving/mark.sql"))
            .bind(self.project)
            .bind(&mark.pack)
            .bind(i32::try_from(mark.parts).unwrap_or(i32::MAX));
        if marked.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StoreError::Conflict { what: "another process imports the same project" });
        }
        self.commit(transaction).await
    }

    /// Notes that somebody took a copy of the project.
    pub async fn note_export(&self, slug: &str, actor: &Actor) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        self.note(&mut transaction, actor, "project.export", slug).await?;
        self.commit(transaction).await
    }
}
