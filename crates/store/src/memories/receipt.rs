//! Reading a receipt back: what was considered for a task, and what became of each of it.

use chrono::{DateTime, Utc};
use reflect_types::{Fate, MemoryId, RetrievalId};
use serde_json::Value;

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// A stored receipt.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct ReceiptRow {
    /// Its id.
    pub retrieval_id: RetrievalId,
    /// The question.
    pub task: Option<String>,
    /// How it was asked.
    pub parameters: Value,
    memory_ids: Vec<MemoryId>,
    similarities: Vec<f32>,
    utilities: Vec<f32>,
    fates: Vec<i16>,
    /// Whether this was less than the search it should have been.
    pub degraded: bool,
    /// Whether what was found was held back.
    pub held_out: bool,
    /// How long embedding the question took.
    pub embed_us: i32,
    /// How long finding and ranking took.
    pub search_us: i32,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
}

/// A memory that was considered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReceiptLine {
    /// The memory.
    pub memory_id: MemoryId,
    /// How similar its task was.
    pub similarity: f32,
    /// What was taken for its utility.
    pub utility: f32,
    /// What became of it.
    pub fate: Option<Fate>,
}

impl ReceiptRow {
    /// All that was considered, what was served first.
    pub fn lines(&self) -> impl Iterator<Item = ReceiptLine> {
        let numbers = self.similarities.iter().zip(&self.utilities);
        self.memory_ids.iter().zip(numbers).enumerate().map(|(place, (memory_id, (similarity, utility)))| {
            let fate = self.fates.get(place).and_then(|code| Fate::from_code(*code));
            ReceiptLine { memory_id: *memory_id, similarity: *similarity, utility: *utility, fate }
        })
    }
}

/// A task that memories were asked for.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AskedTask {
    /// The receipt of the last time.
    pub retrieval_id: RetrievalId,
    /// The task.
    pub task: String,
}

impl ProjectCtx {
    /// The last tasks that memories were asked for, each once, newest first.
    pub async fn asked(&self, most: usize) -> Result<Vec<AskedTask>, StoreError> {
        let mut transaction = self.read().await?;
        let asked = sqlx::query_as(include_str!("../../sql/memories/asked.sql"));
        let asked = asked.bind(self.project).bind(most as i64).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(asked)
    }

    /// One receipt.
    pub async fn receipt(&self, id: RetrievalId) -> Result<ReceiptRow, StoreError> {
        let mut transaction = self.read().await?;
        let row = sqlx::query_as(include_str!("../../sql/memories/receipt.sql")).bind(self.project).bind(id);
        let row = row.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        row.ok_or(StoreError::NotFound { what: "retrieval" })
    }
}
