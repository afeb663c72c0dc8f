//! Erasures.

use reflect_api::{CreateErasure, ErasedMemories, Erasure, ErasureState};
use reflect_engine::ErasureRequest;
use reflect_store::ErasureRow;
use reflect_types::TraceId;

/// What stays on purpose.
const STAYS: [&str; 4] = [
    "utility_event and memory_stat: numbers by which other memories are ranked; no words",
    "review: verdict, step, time and the key that gave it; no words",
    "audit_entry: who asked for this and when, under its id; 400 days",
    "erasure: this report; no subject",
];
/// Where a database and those who run it keep what was deleted.
const COPIES: [&str; 6] = [
    "dead rows and index pages, until vacuum has passed and their pages are written anew",
    "vectors in the pages of a vector index, until vacuum; old samples of the planner in pages of pg_statistic",
    "the write-ahead log and its archive, for as long as they are kept",
    "backups, replicas that lag and snapshots of the disk, for as long as they are kept",
    "what was sent to model providers when the runs were learned from",
    "logs of proxies and clients, spools of clients; this server logs no content",
];

pub(crate) fn erasure_request(request: CreateErasure) -> ErasureRequest {
    ErasureRequest {
        trace: request.trace_id.map(TraceId::from_uuid),
        subject: request.subject,
        keep_memories: request.memories == Some(ErasedMemories::Keep),
    }
}

pub(crate) fn erasure(row: ErasureRow) -> Erasure {
    let kept =
        row.keep_memories.then_some("memories that came of the runs, as asked for; they may quote them");
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
