//! Calls that store a run again.

use reflect_types::{IngestStatus, MemoryId};

use super::record::{NewTraceRow, RecordedTrace};
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;

/// What is stored under the id of a run.
#[derive(sqlx::FromRow)]
struct Stored {
    content_digest: Vec<u8>,
    ingest: Option<i16>,
    memory_id: Option<MemoryId>,
    erased: bool,
}

/// The result of an earlier call that stored the same run. A conflict if another run has its id, or if it was deleted.
pub(super) async fn earlier_result(
    transaction: &mut ProjectTx,
    trace: &NewTraceRow,
) -> Result<RecordedTrace, StoreError> {
    let trace_id = trace.trace_id;
    let stored: Option<Stored> = sqlx::query_as(include_str!("../../sql/traces/earlier.sql"))
        .bind(transaction.project)
        .bind(trace_id)
        .fetch_optional(&mut **transaction)
        .await?;
    match stored {
        Some(Stored { erased: true, .. }) => {
            let what = "the trace with this id was deleted and is not stored again";
            Err(StoreError::Conflict { what })
        }
        Some(Stored { ingest: Some(ingest), memory_id, content_digest: digest, .. })
            if digest == trace.content_digest =>
        {
            let ingest = coded(IngestStatus::from_code(ingest))?;
            Ok(RecordedTrace { trace_id, ingest, memory_id, is_new: false })
        }
        _ => Err(StoreError::Conflict { what: "another trace has this id" }),
    }
}
