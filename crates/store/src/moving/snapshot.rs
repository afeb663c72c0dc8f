//! A project as it is at one moment, read row by row however long that takes and whoever writes meanwhile.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{Postgres, Transaction};

use super::body_line;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::spaces::{Found, SpaceId, SpaceRow};
use crate::utility::fold;

/// The table whose lines show text instead of stored bytes.
const BODIES: &str = "trace_body";
/// Bodies may have megabytes each, so few of them are fetched at a time.
const BODIES_A_PAGE: i32 = 16;
/// How many rows of any other table.
const ROWS_A_PAGE: i32 = 1000;
/// How many memories are folded at a time.
const MEMORIES_A_PAGE: i64 = 1000;

/// What each embedding space is called in another database, by its number here.
pub type SpaceNumbers = BTreeMap<SpaceId, SpaceId>;

/// What a project is beside its rows. Spaces have the numbers of the database it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedProject {
    /// Its name.
    pub slug: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// What was set for it.
    pub settings: Value,
    /// Where its memories are searched.
    pub read_space: Option<SpaceId>,
    /// Where new memories are placed.
    pub write_spaces: Vec<SpaceId>,
    /// The least similarity that was set for a space.
    pub thresholds: BTreeMap<SpaceId, f32>,
    /// The memories that every question is answered with first.
    pub pinned: Vec<MemoryId>,
    /// What the tags of its placeholders are made with, as hexadecimal digits.
    pub tag_key: String,
}

/// One row on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedRow {
    /// The row as JSON, without its project. The same row gives the same text in every database.
    pub line: String,
    /// Its key, from which reading goes on.
    pub at: Value,
    /// Another number for every version of the row.
    pub version: i64,
}

/// Where a memory stands: its utility with reviews and passes, its credit with evidence.
pub type Stands = (f32, i32, i32, f32, i32);

/// Where one memory stands by the ledger and by what is written down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldedMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// As its ledger adds up.
    pub folded: Stands,
    /// As it is stored.
    pub stored: Stands,
}

type ProjectColumns = (
    String,
    DateTime<Utc>,
    Value,
    Option<SpaceId>,
    Vec<SpaceId>,
    Json<BTreeMap<SpaceId, f32>>,
    Vec<MemoryId>,
    Vec<u8>,
);

/// One project at one moment. While it lives, the database keeps the versions that it sees.
#[derive(Debug)]
pub struct Snapshot {
    project: ProjectCtx,
    transaction: Transaction<'static, Postgres>,
}

impl ProjectCtx {
    /// The project as it is now.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Ok(Snapshot { project: self.clone(), transaction: self.snapshot_transaction().await? })
    }
}

impl Snapshot {
    /// What the project is beside its rows.
    pub async fn project(&mut self) -> Result<MovedProject, StoreError> {
        let found: Option<ProjectColumns> = sqlx::query_as(include_str!("../../sql/moving/project.sql"))
            .bind(self.project.project)
            .fetch_optional(&mut *self.transaction)
            .await?;
        let (slug, created_at, settings, read_space, write_spaces, Json(thresholds), pinned, tag_key) =
            found.ok_or(StoreError::NotFound { what: "project" })?;
        let tag_key = body_line::to_hex(&tag_key);
        Ok(MovedProject { slug, created_at, settings, read_space, write_spaces, thresholds, pinned, tag_key })
    }

    /// The embedding spaces that anything of the project refers to.
    pub async fn spaces(&mut self) -> Result<Vec<SpaceRow>, StoreError> {
        let found: Vec<Found> = sqlx::query_as(include_str!("../../sql/moving/spaces.sql"))
            .bind(self.project.project)
            .fetch_all(&mut *self.transaction)
            .await?;
        found.into_iter().map(SpaceRow::try_from).collect()
    }

    /// Some rows of a table after a given key, in the order of keys. None are left when it is empty.
    pub async fn rows(
        &mut self,
        table: &str,
        after: Option<&Value>,
        spaces: &SpaceNumbers,
    ) -> Result<Vec<MovedRow>, StoreError> {
        let most = if table == BODIES { BODIES_A_PAGE } else { ROWS_A_PAGE };
        let rows: Vec<(String, Value, i64)> = sqlx::query_as(include_str!("../../sql/moving/read.sql"))
            .bind(self.project.project)
            .bind(table)
            .bind(after)
            .bind(most)
            .bind(Json(spaces))
            .fetch_all(&mut *self.transaction)
            .await?;
        let rows = rows.into_iter().map(|(line, at, version)| {
            let line = if table == BODIES { body_line::readable(&line)? } else { line };
            Ok(MovedRow { line, at, version })
        });
        rows.collect()
    }

    /// How many rows of a table lie between two keys, and the sum of their versions.
    pub async fn versions(
        &mut self,
        table: &str,
        after: Option<&Value>,
        upto: &Value,
    ) -> Result<(u64, i128), StoreError> {
        let (rows, sum): (i64, String) = sqlx::query_as(include_str!("../../sql/moving/versions.sql"))
            .bind(self.project.project)
            .bind(table)
            .bind(after)
            .bind(upto)
            .fetch_one(&mut *self.transaction)
            .await?;
        let corrupt = || StoreError::Corrupt { what: "sum of versions" };
        Ok((u64::try_from(rows).map_err(|_| corrupt())?, sum.parse().map_err(|_| corrupt())?))
    }

    /// Folds the ledgers of some memories anew, after a given one, and says beside it what is stored.
    pub async fn folded(&mut self, after: Option<MemoryId>) -> Result<Vec<FoldedMemory>, StoreError> {
        let after = after.unwrap_or(MemoryId::from_uuid(uuid::Uuid::nil()));
        let stored: Vec<(MemoryId, f32, i32, i32, f32, i32)> =
            sqlx::query_as(include_str!("../../sql/moving/standings.sql"))
                .bind(self.project.project)
                .bind(after)
                .bind(MEMORIES_A_PAGE)
                .fetch_all(&mut *self.transaction)
                .await?;
        let memories: Vec<MemoryId> = stored.iter().map(|(memory, ..)| *memory).collect();
        let ledger = self.project.ledger(&mut self.transaction, &memories).await?;
        let steps = self.project.care_steps(&mut self.transaction, &memories).await?;
        let folds = fold(&ledger, &steps, &memories);
        let folded = stored.into_iter().map(|(memory_id, q, reviews, passes, credit, evidence)| {
            let (standing, folded) = folds[&memory_id];
            FoldedMemory {
                memory_id,
                folded: (
                    standing.utility.get(),
                    standing.reviews,
                    standing.passes,
                    folded.value(),
                    folded.evidence(),
                ),
                stored: (q, reviews, passes, credit, evidence),
            }
        });
        Ok(folded.collect())
    }
}
