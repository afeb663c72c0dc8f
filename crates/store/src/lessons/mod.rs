//! A lesson becomes a memory, and its run is complete.

mod corroborate;

use reflect_types::{KeyId, MemoryId, MemoryOrigin, ReviewId, TraceId, Trust};

use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::jobs;
use crate::ledger;

/// A lesson to store as a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemoryRow {
    /// Its id.
    pub memory_id: MemoryId,
    /// Where its text came from.
    pub origin: MemoryOrigin,
    /// The task it was learned from.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// The tools that the run used.
    pub tools_used: Vec<String>,
    /// What became of the run.
    pub success: Option<bool>,
    /// As the run was described.
    pub metadata: serde_json::Value,
    /// The model that wrote it, if any.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<i32>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// Why it replaces the lesson of a model. Shown on the trace.
    pub replaced: Option<String>,
    /// Whether it is in quarantine.
    pub quarantined: bool,
    /// Suspicious findings in its texts.
    pub flags: Vec<String>,
    /// Trust of its source: the lower of the keys that sent and reviewed the run.
    pub trust: Trust,
    /// That key.
    pub author_key: KeyId,
    /// Its vector in each space.
    pub vectors: Vec<(SpaceId, Vec<f32>)>,
    /// Which of its memories the run used, if that is known.
    pub used: Option<Vec<MemoryId>>,
    /// The probability that the run passes, independent of its memories. `None` if it had no memories, since credit
    /// is not computed then.
    pub expected: Option<f32>,
}

pub(crate) async fn finish(
    transaction: &mut ProjectTx,
    trace: TraceId,
    review: ReviewId,
    memory: &NewMemoryRow,
) -> Result<Option<MemoryId>, StoreError> {
    let made: Option<(MemoryId, Vec<SpaceId>, bool)> =
        sqlx::query_as(include_str!("../../sql/learning/finish.sql"))
            .bind(transaction.project)
            .bind(trace)
            .bind(review)
            .bind(memory.memory_id)
            .bind(memory.author_key)
            .bind(memory.origin.code())
            .bind(&memory.task)
            .bind(&memory.reflection)
            .bind(&memory.summary)
            .bind(&memory.guidance)
            .bind(&memory.key_mistake)
            .bind(&memory.correct_action)
            .bind(&memory.applicable_tools)
            .bind(&memory.tools_used)
            .bind(memory.success)
            .bind(&memory.metadata)
            .bind(&memory.model)
            .bind(memory.prompt_version)
            .bind(&memory.note)
            .bind(memory.quarantined)
            .bind(memory.trust.code())
            .bind(&memory.flags)
            .bind(&memory.replaced)
            .fetch_optional(&mut **transaction)
            .await?;
    if let Some((_, write_spaces, has_unserved)) = &made {
        let insert = match memory.quarantined {
            true => include_str!("../../sql/memories/insert_parked_vector.sql"),
            false => include_str!("../../sql/memories/insert_vector.sql"),
        };
        for (space, vector) in &memory.vectors {
            sqlx::query(insert)
                .bind(transaction.project)
                .bind(space)
                .bind(memory.memory_id)
                .bind(vector)
                .execute(&mut **transaction)
                .await?;
        }
        // The embedder failed, or the space was added after the vectors were computed.
        if write_spaces.iter().any(|wanted| !memory.vectors.iter().any(|(space, _)| space == wanted)) {
            jobs::enqueue_refill(transaction).await?;
        }
        // Memories in quarantine are among those that are not served.
        if memory.quarantined || *has_unserved {
            corroborate::corroborate(transaction, memory).await?;
        }
        if let Some(expected) = memory.expected {
            ledger::settle_credit(transaction, review, expected, memory.used.as_deref()).await?;
        }
    }
    Ok(made.map(|(memory, ..)| memory))
}
