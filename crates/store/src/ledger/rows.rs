//! Reading the ledger: entries, and the curation steps between them.

use reflect_rules::credit::{CurationStep, LedgerEntry, PlacedStep};
use reflect_types::MemoryId;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::{HALVED, POOLED};
use crate::db::ProjectTx;
use crate::error::StoreError;

/// A ledger entry as a row.
pub(crate) struct LedgerRow(pub(crate) LedgerEntry);

impl FromRow<'_, PgRow> for LedgerRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self(LedgerEntry {
            memory_id: row.try_get("memory_id")?,
            seq: row.try_get("seq")?,
            reward: row.try_get("reward")?,
            alpha: row.try_get("alpha")?,
            annealed: row.try_get("annealed")?,
            used: row.try_get("used")?,
            expected: row.try_get("expected")?,
            credited: row.try_get("credited")?,
            untrusted: row.try_get("untrusted")?,
        }))
    }
}

/// What moved these memories, in order.
pub(crate) async fn entries(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<LedgerEntry>, StoreError> {
    let rows = sqlx::query_as(include_str!("../../sql/ledger/ledger.sql"));
    let rows: Vec<LedgerRow> =
        rows.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The curation steps that changed utility or credit of memories.
pub(crate) async fn curation_steps(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<PlacedStep>, StoreError> {
    let rows: Vec<(MemoryId, i64, i16, Value, i64, i32)> =
        sqlx::query_as(include_str!("../../sql/curation/steps.sql"))
            .bind(transaction.project)
            .bind(memories)
            .fetch_all(&mut **transaction)
            .await?;
    let placed = rows.into_iter().map(|(memory_id, seq, facet, after, entered, credited)| {
        let step = curation_step(facet, after)?.ok_or(StoreError::Corrupt { what: "curation step" })?;
        Ok(PlacedStep { memory_id, seq, entered, credited, step })
    });
    placed.collect()
}

/// The step behind a stored facet. `None` if the facet moves neither utility nor credit.
pub(crate) fn curation_step(facet: i16, after: Value) -> Result<Option<CurationStep>, StoreError> {
    match facet {
        HALVED => Ok(Some(CurationStep::Halved)),
        POOLED => {
            let shares = serde_json::from_value(after).map_err(|_| StoreError::Corrupt { what: "merge" })?;
            Ok(Some(CurationStep::Pooled(shares)))
        }
        _ => Ok(None),
    }
}
