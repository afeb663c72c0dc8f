//! Corroboration: a memory in quarantine is released when enough independent sources say the same, in the transaction
//! of the last one.

use reflect_rules::trust::{Corroboration, CorroborationSearch, corroboration_search, released};
use reflect_types::{KeyId, MemoryId, SAME_TASK, Said, Source, TraceId, says_the_same};

use super::NewMemoryRow;
use crate::actions::SERVER;
use crate::audit::{self, AuditActor};
use crate::db::ProjectTx;
use crate::error::StoreError;

/// A memory with a similar task.
#[derive(Debug, sqlx::FromRow)]
struct Near {
    memory_id: MemoryId,
    similarity: f32,
    task: String,
    lesson: String,
}

/// One memory that corroborates another, and the sources of both.
#[derive(Debug, sqlx::FromRow)]
struct Vouched {
    memory_id: MemoryId,
    author_key: KeyId,
    source_trace: TraceId,
    by_key: KeyId,
    by_trace: TraceId,
}

impl From<Vouched> for Corroboration {
    fn from(row: Vouched) -> Self {
        Self {
            memory: row.memory_id,
            source: Source { key: row.author_key, trace: row.source_trace },
            by: Source { key: row.by_key, trace: row.by_trace },
        }
    }
}

/// Finds memories that corroborate a new one, or that a new one corroborates.
pub(super) async fn corroborate(
    transaction: &mut ProjectTx,
    memory: &NewMemoryRow,
) -> Result<(), StoreError> {
    let search = corroboration_search(memory.quarantined, !memory.flags.is_empty(), memory.trust);
    let statement = match search {
        Some(CorroborationSearch::Vouchers) => include_str!("../../sql/trust/vouchers_near.sql"),
        Some(CorroborationSearch::Quarantined) => include_str!("../../sql/trust/quarantined_near.sql"),
        None => return Ok(()),
    };
    let own = format!("{} {}", memory.reflection, memory.summary);
    let own = Said { task: &memory.task, lesson: &own };
    let (mut about, mut by, mut similarities) = (Vec::new(), Vec::new(), Vec::new());
    for (space, vector) in &memory.vectors {
        let near: Vec<Near> = sqlx::query_as(statement)
            .bind(transaction.project)
            .bind(space)
            .bind(vector)
            .bind(memory.success)
            .bind(SAME_TASK)
            .fetch_all(&mut **transaction)
            .await?;
        for near in near {
            let other = Said { task: &near.task, lesson: &near.lesson };
            let (said, known) = if memory.quarantined { (own, other) } else { (other, own) };
            if says_the_same(said, known) {
                let (one, voucher) = match memory.quarantined {
                    true => (memory.memory_id, near.memory_id),
                    false => (near.memory_id, memory.memory_id),
                };
                about.push(one);
                by.push(voucher);
                similarities.push(near.similarity);
            }
        }
    }
    if about.is_empty() {
        return Ok(());
    }
    let vouch = sqlx::query(include_str!("../../sql/trust/vouch.sql"));
    vouch
        .bind(transaction.project)
        .bind(&about)
        .bind(&by)
        .bind(similarities)
        .execute(&mut **transaction)
        .await?;
    release_corroborated(transaction, &about).await
}

/// Releases the memories with enough independent sources.
async fn release_corroborated(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    let vouched: Vec<Vouched> = sqlx::query_as(include_str!("../../sql/trust/vouchers.sql"))
        .bind(transaction.project)
        .bind(memories)
        .fetch_all(&mut **transaction)
        .await?;
    let vouched: Vec<Corroboration> = vouched.into_iter().map(Corroboration::from).collect();
    let enough = released(&vouched);
    if enough.is_empty() {
        return Ok(());
    }
    let release = sqlx::query_scalar(include_str!("../../sql/trust/release.sql"));
    let left: Vec<MemoryId> =
        release.bind(transaction.project).bind(enough).fetch_all(&mut **transaction).await?;
    transaction.outgoing.release(&left);
    let actor = AuditActor::local(SERVER);
    for memory in left {
        audit::record(transaction, &actor, "memory.corroborate", &memory.to_string()).await?;
    }
    Ok(())
}
