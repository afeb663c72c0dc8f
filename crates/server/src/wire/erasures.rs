//! Erasures.

use reflect_api::{CreateErasure, ErasedMemories, Erasure, ErasureState};
use reflect_engine::ErasureRequest;
use reflect_store::ErasureRow;
use reflect_types::TraceId;

/// What is kept on purpose.
const STAYS: [&str; 5] = [
    "trace: the id and the time of the deletion, so that the run is not stored again; no content",
    "utility_event and memory_stat: numbers that rank other memories; no text",
    "review: result, learning rate, time and key; no text",
    "audit_entry: who requested the erasure and when, with its id; 400 days",
    "erasure: this report, without the subject",
];
/// Where copies of deleted data can still exist.
const COPIES: [&str; 6] = [
    "dead rows and index pages, until vacuum has run and their pages are overwritten",
    "vectors in the pages of a vector index, until vacuum; old planner samples in pages of pg_statistic",
    "the write-ahead log and its archive, until they are deleted",
    "backups, lagging replicas and disk snapshots, until they are deleted",
    "data that was sent to model providers for learning",
    "logs of proxies and clients, spools of clients; this server does not log content",
];

pub(crate) fn erasure_request(request: CreateErasure) -> ErasureRequest {
    ErasureRequest {
        trace: request.trace_id.map(TraceId::from_uuid),
        subject: request.subject,
        keep_memories: request.memories == Some(ErasedMemories::Keep),
    }
}

pub(crate) fn erasure(row: ErasureRow) -> Erasure {
    let kept = row
        .keep_memories
        .then_some("memories that were learned from the traces, as requested; they may quote them");
    let strings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    Erasure {
        id: row.erasure_id,
        state: match row.state {
            0 => ErasureState::Waiting,
            1 => ErasureState::Running,
            _ => ErasureState::Done,
        },
        memories: if row.keep_memories { ErasedMemories::Keep } else { ErasedMemories::Delete },
        traces: u64::try_from(row.traces).unwrap_or_default(),
        removed: serde_json::from_value(row.removed).unwrap_or_default(),
        stays: strings(&STAYS).into_iter().chain(kept.map(ToOwned::to_owned)).collect(),
        copies: strings(&COPIES),
        created_at: row.created_at,
        finished_at: row.finished_at,
    }
}
