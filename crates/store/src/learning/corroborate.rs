//! What happens to memories in quarantine when others say the same: with enough independent sources behind it, one is
//! let out in the transaction that completed them.

use std::collections::BTreeMap;

use reflect_types::{
    KeyId, MemoryId, SAME_TASK, Said, Source, TraceId, Trust, VOUCHERS, independent, says_the_same,
};
use sqlx::{Postgres, Transaction};

use crate::audit::Actor;
use crate::error::StoreError;
use crate::learning::NewMemory;
use crate::project_ctx::ProjectCtx;

/// Who the audit log names, when nobody asked for what is done.
const SERVER: &str = "server";

/// A memory of a similar task.
#[derive(Debug, sqlx::FromRow)]
struct Near {
    memory_id: MemoryId,
    similarity: f32,
    task: String,
    lesson: String,
}

/// One memory vouching for another, and where both come from.
#[derive(Debug, sqlx::FromRow)]
struct Vouched {
    memory_id: MemoryId,
    author_key: KeyId,
    source_trace: TraceId,
    by_key: KeyId,
    by_trace: TraceId,
}

impl ProjectCtx {
    /// Looks for memories that vouch for a new one, or that a new one vouches for.
    pub(super) async fn corroborate(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memory: &NewMemory,
    ) -> Result<(), StoreError> {
        // What looks out of place is for a person to decide.
        if memory.quarantined && !memory.flags.is_empty() {
            return Ok(());
        }
        let statement = match (memory.quarantined, memory.trust) {
            (true, _) => include_str!("../../sql/trust/vouchers_near.sql"),
            (false, Trust::Untrusted) => return Ok(()),
            (false, _) => include_str!("../../sql/trust/quarantined_near.sql"),
        };
        let own = format!("{} {}", memory.reflection, memory.summary);
        let own = Said { task: &memory.task, lesson: &own };
        let (mut about, mut by, mut similarities) = (Vec::new(), Vec::new(), Vec::new());
        for (space, vector) in &memory.vectors {
            let near: Vec<Near> = sqlx::query_as(statement)
                .bind(self.project)
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
            .bind(self.project)
            .bind(&about)
            .bind(&by)
            .bind(similarities)
            .execute(&mut **transaction)
            .await?;
        self.release_vouched(transaction, &about).await
    }

    /// Lets those of these memories out that enough independent sources vouch for.
    async fn release_vouched(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<(), StoreError> {
        let vouched: Vec<Vouched> = sqlx::query_as(include_str!("../../sql/trust/vouchers.sql"))
            .bind(self.project)
            .bind(memories)
            .fetch_all(&mut **transaction)
            .await?;
        let enough = vouched_for(&vouched);
        if enough.is_empty() {
            return Ok(());
        }
        let release = sqlx::query_scalar(include_str!("../../sql/trust/release.sql"));
        let released: Vec<MemoryId> =
            release.bind(self.project).bind(enough).fetch_all(&mut **transaction).await?;
        let actor = Actor { name: SERVER.to_owned(), request_id: None };
        for memory in released {
            self.note(transaction, &actor, "memory.corroborate", &memory.to_string()).await?;
        }
        Ok(())
    }
}

/// Those that enough independent sources vouch for.
fn vouched_for(vouched: &[Vouched]) -> Vec<MemoryId> {
    let mut sources: BTreeMap<MemoryId, (Source, Vec<Source>)> = BTreeMap::new();
    for row in vouched {
        let own = Source { key: row.author_key, trace: row.source_trace };
        let (_, vouchers) = sources.entry(row.memory_id).or_insert((own, Vec::new()));
        vouchers.push(Source { key: row.by_key, trace: row.by_trace });
    }
    let enough = sources.iter().filter(|(_, (own, vouchers))| independent(own, vouchers) >= VOUCHERS);
    enough.map(|(memory, _)| *memory).collect()
}
