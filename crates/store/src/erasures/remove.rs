//! The removal statements, table by table.

use chrono::{DateTime, Utc};
use reflect_types::{CrashPoint, MemoryId, RetrievalId, ReviewId, TraceId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::ErasureStore;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ErasureId;
use crate::jobs;
use crate::lessons;
use crate::memory_changes;

/// Runs in one transaction: few, because their locks block other work.
const AT_ONCE: i64 = 50;

/// The progress of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// Some runs were removed, and there may be more.
    Some,
    /// Nothing was left to remove; it can be finished.
    All,
    /// It was finished before, or there is no such erasure.
    Before,
}

/// By which ids a statement finds its rows.
#[derive(Clone, Copy)]
enum By {
    Traces,
    Reviews,
    Memories,
}

/// Every table with texts of a run, of its reviews or of its memories, and the statement that removes them. A new
/// table with such texts belongs here.
const REMOVALS: &[(&str, By, &str)] = &[
    ("memory_vector", By::Memories, include_str!("../../sql/erasures/remove_memory_vector.sql")),
    ("parked_vector", By::Memories, include_str!("../../sql/erasures/remove_parked_vector.sql")),
    ("memory_version", By::Memories, include_str!("../../sql/erasures/remove_memory_version.sql")),
    ("version_vector", By::Memories, include_str!("../../sql/erasures/remove_version_vector.sql")),
    ("memory", By::Memories, include_str!("../../sql/erasures/remove_memory.sql")),
    // After the memories, because a transaction that writes a skill locks its memories.
    ("skill", By::Memories, include_str!("../../sql/erasures/remove_skill.sql")),
    ("memory_stat", By::Memories, include_str!("../../sql/erasures/remove_memory_stat.sql")),
    ("draft", By::Reviews, include_str!("../../sql/erasures/remove_draft.sql")),
    ("review", By::Traces, include_str!("../../sql/erasures/reviews.sql")),
    ("idempotency", By::Traces, include_str!("../../sql/erasures/remove_review_keys.sql")),
    ("judgement", By::Traces, include_str!("../../sql/erasures/remove_judgement.sql")),
    ("trace_key", By::Traces, include_str!("../../sql/erasures/remove_trace_key.sql")),
    ("signal", By::Traces, include_str!("../../sql/erasures/remove_signal.sql")),
    ("signal_match", By::Traces, include_str!("../../sql/erasures/remove_signal_match.sql")),
    ("signal_wait", By::Traces, include_str!("../../sql/erasures/remove_signal_wait.sql")),
    ("queue_entry", By::Traces, include_str!("../../sql/erasures/remove_queue_entry.sql")),
    ("trace_body", By::Traces, include_str!("../../sql/erasures/remove_trace_body.sql")),
    ("trace_state", By::Traces, include_str!("../../sql/erasures/remove_trace_state.sql")),
    ("trace", By::Traces, include_str!("../../sql/erasures/remove_trace.sql")),
];

#[derive(sqlx::FromRow)]
struct Taken {
    trace_id: Option<TraceId>,
    subject: Option<String>,
    keep_memories: bool,
    removed: Value,
}

#[derive(sqlx::FromRow)]
struct Doomed {
    trace_id: TraceId,
    task: String,
    retrieval_id: Option<RetrievalId>,
    linked_retrieval: Option<RetrievalId>,
    created_at: DateTime<Utc>,
}

impl ErasureStore<'_> {
    /// Removes a batch of runs of an erasure, with their reviews and memories.
    pub async fn erase_batch(&self, erasure: ErasureId) -> Result<Erased, StoreError> {
        let mut transaction = self.db.write().await?;
        let taken =
            sqlx::query_as(include_str!("../../sql/erasures/take.sql")).bind(self.db.project).bind(erasure);
        let taken: Option<Taken> = taken.fetch_optional(&mut *transaction).await?;
        let Some(taken) = taken else { return Ok(Erased::Before) };
        if let Some(trace) = taken.trace_id {
            for statement in [
                include_str!("../../sql/erasures/bury.sql"),
                include_str!("../../sql/erasures/remove_awaiting_signal.sql"),
            ] {
                let ran = sqlx::query(statement).bind(self.db.project).bind(trace);
                ran.execute(&mut *transaction).await?;
            }
        }
        let doomed: Vec<Doomed> = sqlx::query_as(include_str!("../../sql/erasures/batch.sql"))
            .bind(self.db.project)
            .bind(taken.trace_id)
            .bind(&taken.subject)
            .bind(AT_ONCE)
            .fetch_all(&mut *transaction)
            .await?;
        let Some(last) = doomed.last() else {
            transaction.commit().await?;
            return Ok(Erased::All);
        };
        let mut removed = match taken.removed {
            Value::Object(removed) => removed,
            _ => Map::new(),
        };
        remove(&mut transaction, &doomed, taken.keep_memories, &mut removed).await?;
        sqlx::query(include_str!("../../sql/erasures/progress.sql"))
            .bind(self.db.project)
            .bind(erasure)
            .bind(i32::try_from(doomed.len()).unwrap_or(i32::MAX))
            .bind(Value::Object(removed))
            .bind(last.trace_id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit_at(CrashPoint::ErasureBatch).await?;
        Ok(Erased::Some)
    }

    /// Completes an erasure and removes the subject's name.
    pub async fn finish(&self, erasure: ErasureId) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let finished = sqlx::query(include_str!("../../sql/erasures/finish.sql"));
        finished.bind(self.db.project).bind(erasure).execute(&mut *transaction).await?;
        transaction.commit_at(CrashPoint::ErasureFinish).await
    }
}

async fn remove(
    transaction: &mut ProjectTx,
    doomed: &[Doomed],
    keep_memories: bool,
    removed: &mut Map<String, Value>,
) -> Result<(), StoreError> {
    let traces: Vec<Uuid> = doomed.iter().map(|run| run.trace_id.as_uuid()).collect();
    let held = sqlx::query(include_str!("../../sql/traces/lock.sql")).bind(transaction.project).bind(&traces);
    held.execute(&mut **transaction).await?;
    let reviews = sqlx::query_scalar(include_str!("../../sql/erasures/review_ids.sql"));
    let reviews: Vec<Uuid> =
        reviews.bind(transaction.project).bind(&traces).fetch_all(&mut **transaction).await?;
    let memories = sqlx::query_scalar(include_str!("../../sql/erasures/memories.sql"));
    let memories: Vec<Uuid> =
        memories.bind(transaction.project).bind(&traces).fetch_all(&mut **transaction).await?;
    let gone: Vec<MemoryId> = memories.iter().copied().map(MemoryId::from_uuid).collect();
    if keep_memories {
        count(removed, "memory_kept", memories.len() as u64);
    } else {
        lessons::lock_absorbed_runs(transaction, None, &gone).await?;
        // A concurrent indexing of these memories must end before this, or not begin.
        let held = sqlx::query(include_str!("../../sql/erasures/lock_memories.sql"));
        held.bind(transaction.project).bind(&gone).execute(&mut **transaction).await?;
    }
    for review in &reviews {
        jobs::dequeue_learning(transaction, ReviewId::from_uuid(*review)).await?;
    }
    remove_receipts(transaction, doomed, removed).await?;
    let absorbers = memory_changes::absorbers(transaction, &gone).await?;
    for (table, by, statement) in REMOVALS {
        let ids = match by {
            By::Traces => &traces,
            By::Reviews => &reviews,
            By::Memories if keep_memories => continue,
            By::Memories => &memories,
        };
        let rows =
            sqlx::query(*statement).bind(transaction.project).bind(ids).execute(&mut **transaction).await?;
        count(removed, table, rows.rows_affected());
    }
    if keep_memories {
        return Ok(());
    }
    lessons::release(transaction, None, &gone, &absorbers).await
}

/// Removes receipts of the runs and stored answers of idempotent calls.
async fn remove_receipts(
    transaction: &mut ProjectTx,
    doomed: &[Doomed],
    removed: &mut Map<String, Value>,
) -> Result<(), StoreError> {
    let receipts: Vec<RetrievalId> =
        doomed.iter().flat_map(|run| [run.retrieval_id, run.linked_retrieval]).flatten().collect();
    let tasks: Vec<[u8; 32]> = doomed.iter().map(|run| blake3::hash(run.task.as_bytes()).into()).collect();
    let rows = sqlx::query(include_str!("../../sql/erasures/remove_retrieval.sql"))
        .bind(transaction.project)
        .bind(receipts)
        .bind(tasks.iter().map(<[u8; 32]>::as_slice).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    count(removed, "retrieval", rows.rows_affected());
    let rows = sqlx::query(include_str!("../../sql/erasures/remove_idempotency.sql"))
        .bind(transaction.project)
        .bind(doomed.iter().map(|run| run.trace_id).collect::<Vec<_>>())
        .bind(doomed.iter().map(|run| run.created_at).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    count(removed, "idempotency", rows.rows_affected());
    Ok(())
}

fn count(removed: &mut Map<String, Value>, table: &str, rows: u64) {
    let before = removed.get(table).and_then(Value::as_u64).unwrap_or_default();
    removed.insert(table.to_owned(), Value::from(before + rows));
}
