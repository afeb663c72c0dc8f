//! Calls that store a run again.

use reflect_types::{IngestStatus, MemoryId, TraceId};

use crate::db::{ProjectTx, coded};
use crate::error::StoreError;

/// What an earlier call stored for the same run.
pub(super) struct EarlierTrace {
    pub(super) ingest: IngestStatus,
    pub(super) memory_id: Option<MemoryId>,
}

/// What is stored under the id of a run.
#[derive(sqlx::FromRow)]
struct Stored {
    content_digest: Vec<u8>,
    ingest: Option<i16>,
    memory_id: Option<MemoryId>,
    erased: bool,
}

/// What an earlier call stored for the run. A conflict if another run has its id, or if it was deleted.
pub(super) async fn earlier_trace(
    transaction: &mut ProjectTx,
    trace: TraceId,
    content_digest: &[u8; 32],
) -> Result<EarlierTrace, StoreError> {
    let stored: Option<Stored> = sqlx::query_as(include_str!("../../sql/traces/earlier.sql"))
        .bind(transaction.project)
        .bind(trace)
        .fetch_optional(&mut **transaction)
        .await?;
    match stored {
        Some(Stored { erased: true, .. }) => {
            let what = "the trace with this id was deleted and is not stored again";
            Err(StoreError::Conflict { what })
        }
        Some(Stored { ingest: Some(ingest), memory_id, content_digest: digest, .. })
            if digest == content_digest =>
        {
            Ok(EarlierTrace { ingest: coded(IngestStatus::from_code(ingest))?, memory_id })
        }
        _ => Err(StoreError::Conflict { what: "another trace has this id" }),
    }
}
