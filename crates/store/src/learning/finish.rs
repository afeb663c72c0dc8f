//! The end: the lesson becomes a memory, and its run is done.

use reflect_types::{KeyId, MemoryId, MemoryOrigin, ReviewId, TraceId, Trust};
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::spaces::SpaceId;

/// A lesson to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
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
    /// Who wrote it, when a model did.
    pub model: Option<String>,
    /// Which wording of our question it answers.
    pub prompt_version: Option<i32>,
    /// What is worth knowing about how it was written.
    pub note: Option<String>,
    /// Whether it may not be served before somebody vouches for it.
    pub quarantined: bool,
    /// What looks out of place in its texts.
    pub flags: Vec<String>,
    /// How far its source is trusted: the lower of the keys that sent and reviewed the run.
    pub trust: Trust,
    /// That key.
    pub author_key: KeyId,
    /// Where it stands in each space.
    pub vectors: Vec<(SpaceId, Vec<f32>)>,
    /// Which of the memories that the run had it made use of, when that is known.
    pub used: Option<Vec<MemoryId>>,
    /// How likely the run was to pass whatever memories it had; none when it had none.
    pub expected: Option<f32>,
}

impl ProjectCtx {
    /// Keeps a lesson as a memory. None when there is nothing to keep any more: the verdict was
    /// changed, or another worker was faster.
    pub async fn keep_memory(
        &self,
        trace: TraceId,
        review: ReviewId,
        memory: &NewMemory,
    ) -> Result<Option<MemoryId>, StoreError> {
        let mut transaction = self.write().await?;
        let made = self.finish(&mut transaction, trace, review, memory).await?;
        self.commit(transaction).await?;
        Ok(made)
    }

    pub(crate) async fn finish(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        trace: TraceId,
        review: ReviewId,
        memory: &NewMemory,
    ) -> Result<Option<MemoryId>, StoreError> {
        let made: Option<(MemoryId, Vec<SpaceId>)> =
            sqlx::query_as(include_str!("../../sql/learning/finish.sql"))
                .bind(self.project)
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
                .fetch_optional(&mut **transaction)
                .await?;
        if let Some((_, write_spaces)) = &made {
            let insert = match memory.quarantined {
                true => include_str!("../../sql/memories/insert_parked_vector.sql"),
                false => include_str!("../../sql/memories/insert_vector.sql"),
            };
            for (space, vector) in &memory.vectors {
                sqlx::query(insert)
                    .bind(self.project)
                    .bind(space)
                    .bind(memory.memory_id)
                    .bind(vector)
                    .execute(&mut **transaction)
                    .await?;
            }
            // Its embedder failed, or the space was added since the vectors were made.
            if write_spaces.iter().any(|wanted| !memory.vectors.iter().any(|(space, _)| space == wanted)) {
                self.refill(transaction).await?;
            }
            self.corroborate(transaction, memory).await?;
            if let Some(expected) = memory.expected {
                self.settle_credit(transaction, review, expected, memory.used.as_deref()).await?;
            }
        }
        Ok(made.map(|(memory, _)| memory))
    }
}
