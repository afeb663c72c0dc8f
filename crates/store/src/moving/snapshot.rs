//! A consistent snapshot of a project, read row by row while other transactions write.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_types::{Credit, MemoryId};
use serde_json::Value;
use sqlx::types::Json;

use super::{MoveStore, body_line, feedback_line};
use crate::catalogue::{SpaceColumns, SpaceRow};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::hex::to_hex;
use crate::ids::SpaceId;
use crate::ledger::{self, StoredCheckpoint};
use reflect_rules::credit::{LedgerEntry, PlacedStep, UtilityStanding};
use reflect_rules::fold::{FoldCheckpoint, by_memory, checkpoints_hold, fold};

/// The table of trajectories. It stores bytes that may be compressed and encrypted; its lines contain plain text.
const BODIES: &str = "trace_body";
/// Rows per page of [`BODIES`]. Few, because one body may have several megabytes.
const BODIES_PER_PAGE: i32 = 16;
/// Rows per page of every other table.
const ROWS_PER_PAGE: i32 = 1000;
/// Memories per page of [`Snapshot::folded`].
const MEMORIES_PER_PAGE: i64 = 1000;

/// Translates ids of embedding spaces between a database and a pack. The key is the id in the source of the rows, the
/// value is the id in their target.
pub type SpaceNumbers = BTreeMap<SpaceId, SpaceId>;

/// The project row. The space ids are those of the database that it was read from or is written to.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedProject {
    /// The project's name in URLs.
    pub slug: String,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
    /// Its settings.
    pub settings: Value,
    /// The embedding space that retrieval searches.
    pub read_space: Option<SpaceId>,
    /// The spaces in which new memories are indexed.
    pub write_spaces: Vec<SpaceId>,
    /// The project's own similarity thresholds. They replace the defaults of the spaces.
    pub thresholds: BTreeMap<SpaceId, f32>,
    /// The pinned memories: every query returns them first.
    pub pinned: Vec<MemoryId>,
    /// The secret key of the tags in redaction placeholders, in hexadecimal. `None` for a new random one.
    pub tag_key: Option<String>,
}

/// One row of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedRow {
    /// The row as JSON, without its project. The same row gives the same text in every database.
    pub line: String,
    /// The key of the row. The next page starts after it.
    pub at: Value,
    /// A hash that changes with every update of the row.
    pub version: i64,
}

/// Utility, reviews, passes, credit and evidence of a memory.
pub type StandingValues = (f32, i32, i32, f32, i32);

/// The values of one memory, computed from the ledger and as stored. They are equal if the data is consistent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldedMemory {
    /// The memory.
    pub memory_id: MemoryId,
    /// The values computed from the ledger.
    pub folded: StandingValues,
    /// The values in the database.
    pub stored: StandingValues,
    /// Whether the stored intermediate results of the fold are those of the ledger.
    pub checkpoints_hold: bool,
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

/// A snapshot of one project. While it is open, the database keeps the row versions that it sees.
#[derive(Debug)]
pub struct Snapshot {
    transaction: ProjectTx,
}

impl MoveStore<'_> {
    /// Opens a snapshot of the project.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Ok(Snapshot { transaction: self.db.snapshot_transaction().await? })
    }
}

impl Snapshot {
    /// The project row.
    pub async fn project(&mut self) -> Result<MovedProject, StoreError> {
        let found: Option<ProjectColumns> = sqlx::query_as(include_str!("../../sql/moving/project.sql"))
            .bind(self.transaction.project)
            .fetch_optional(&mut *self.transaction)
            .await?;
        let (slug, created_at, settings, read_space, write_spaces, Json(thresholds), pinned, tag_key) =
            found.ok_or(StoreError::NotFound { what: "project" })?;
        let tag_key = Some(to_hex(&tag_key));
        Ok(MovedProject { slug, created_at, settings, read_space, write_spaces, thresholds, pinned, tag_key })
    }

    /// The embedding spaces that the project's rows refer to.
    pub async fn spaces(&mut self) -> Result<Vec<SpaceRow>, StoreError> {
        let found: Vec<SpaceColumns> = sqlx::query_as(include_str!("../../sql/moving/spaces.sql"))
            .bind(self.transaction.project)
            .fetch_all(&mut *self.transaction)
            .await?;
        found.into_iter().map(SpaceRow::try_from).collect()
    }

    /// Reads a page of rows after a key, in key order. Empty at the end.
    pub async fn rows(
        &mut self,
        table: &str,
        after: Option<&Value>,
        spaces: &SpaceNumbers,
    ) -> Result<Vec<MovedRow>, StoreError> {
        let limit = if table == BODIES { BODIES_PER_PAGE } else { ROWS_PER_PAGE };
        let rows: Vec<(String, Value, i64)> = sqlx::query_as(include_str!("../../sql/moving/read.sql"))
            .bind(self.transaction.project)
            .bind(table)
            .bind(after)
            .bind(limit)
            .bind(Json(spaces))
            .fetch_all(&mut *self.transaction)
            .await?;
        let sealer = &self.transaction.sealer;
        let rows = rows.into_iter().map(|(line, at, version)| {
            let line = match feedback_line::column(table) {
                Some(column) => feedback_line::readable(sealer, column, line)?,
                None if table == BODIES => body_line::readable(sealer, &line)?,
                None => line,
            };
            Ok(MovedRow { line, at, version })
        });
        rows.collect()
    }

    /// The number of rows after one key up to another, and the sum of their versions. If both are the same as before,
    /// no row has changed.
    pub async fn versions(
        &mut self,
        table: &str,
        after: Option<&Value>,
        up_to: &Value,
    ) -> Result<(u64, i128), StoreError> {
        let (rows, sum): (i64, String) = sqlx::query_as(include_str!("../../sql/moving/versions.sql"))
            .bind(self.transaction.project)
            .bind(table)
            .bind(after)
            .bind(up_to)
            .fetch_one(&mut *self.transaction)
            .await?;
        let corrupt = || StoreError::Corrupt { what: "sum of versions" };
        Ok((u64::try_from(rows).map_err(|_| corrupt())?, sum.parse().map_err(|_| corrupt())?))
    }

    /// Reads a page of memories after a given one. Computes their values by applying all ledger rows in order (a fold),
    /// and returns these values with the stored ones. Checkpoints are not used, but compared too.
    pub async fn folded(&mut self, after: Option<MemoryId>) -> Result<Vec<FoldedMemory>, StoreError> {
        let after = after.unwrap_or(MemoryId::from_uuid(uuid::Uuid::nil()));
        let stored: Vec<(MemoryId, f32, i32, i32, f32, i32)> =
            sqlx::query_as(include_str!("../../sql/moving/standings.sql"))
                .bind(self.transaction.project)
                .bind(after)
                .bind(MEMORIES_PER_PAGE)
                .fetch_all(&mut *self.transaction)
                .await?;
        let memories: Vec<MemoryId> = stored.iter().map(|(memory, ..)| *memory).collect();
        let ledger = ledger::entries(&mut self.transaction, &memories).await?;
        let steps = ledger::curation_steps(&mut self.transaction, &memories).await?;
        let folds = fold(&ledger, &steps, &memories);
        let stored_checkpoints: Vec<StoredCheckpoint> =
            sqlx::query_as(include_str!("../../sql/moving/checkpoints.sql"))
                .bind(self.transaction.project)
                .bind(&memories)
                .fetch_all(&mut *self.transaction)
                .await?;
        let parts = by_memory(&ledger, &steps, &memories);
        let folded = stored.into_iter().map(|(memory_id, q, reviews, passes, credit, evidence)| {
            let (standing, computed_credit) = folds[&memory_id];
            FoldedMemory {
                memory_id,
                folded: (
                    standing.utility.get(),
                    standing.reviews,
                    standing.passes,
                    computed_credit.value(),
                    computed_credit.evidence(),
                ),
                stored: (q, reviews, passes, credit, evidence),
                checkpoints_hold: parts
                    .get(&memory_id)
                    .is_none_or(|(entries, steps)| all_hold(memory_id, &stored_checkpoints, entries, steps)),
            }
        });
        Ok(folded.collect())
    }
}

/// Whether the checkpoints of a memory, of its utility and of its credit, are those of its ledger.
fn all_hold(
    memory: MemoryId,
    stored: &[StoredCheckpoint],
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
) -> bool {
    let utility = stored.iter().filter_map(StoredCheckpoint::utility);
    let utility: Vec<FoldCheckpoint<UtilityStanding>> =
        utility.filter(|(of, _)| *of == memory).map(|(_, checkpoint)| checkpoint).collect();
    let credit = stored.iter().filter_map(StoredCheckpoint::credit);
    let credit: Vec<FoldCheckpoint<Credit>> =
        credit.filter(|(of, _)| *of == memory).map(|(_, checkpoint)| checkpoint).collect();
    checkpoints_hold(&utility, entries, steps) && checkpoints_hold(&credit, entries, steps)
}
