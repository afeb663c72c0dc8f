//! The last step of a retrieval: the texts of the winners, and the receipt.

use chrono::{DateTime, Utc};
use reflect_types::{Credit, Fate, KeyId, MemoryId, MemoryOrigin, RetrievalId, TraceId, Trust};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::error::StoreError;
use crate::keys::coded;
use crate::memories::Search;
use crate::project_ctx::ProjectCtx;
use crate::spaces::SpaceId;

/// What was asked, what was considered and what went out.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// Its id.
    pub retrieval_id: RetrievalId,
    /// The key that asked.
    pub key_id: KeyId,
    /// Where was searched; none when it was a search for words.
    pub space: Option<SpaceId>,
    /// The question.
    pub task: String,
    /// Its digest, by which a run for the same task is recognised.
    pub task_digest: [u8; 32],
    /// How it was asked.
    pub parameters: Value,
    /// All candidates, those that are served first, in their order.
    pub memory_ids: Vec<MemoryId>,
    /// Their similarities.
    pub similarities: Vec<f32>,
    /// The utilities that they were ranked by.
    pub utilities: Vec<f32>,
    /// What became of each of them.
    pub fates: Vec<Fate>,
    /// How many of them are served.
    pub served: usize,
    /// Whether this was less than the search it should have been.
    pub degraded: bool,
    /// Whether what was found is held back.
    pub held_out: bool,
    /// How long embedding the question took.
    pub embed_us: i32,
    /// How long finding and ranking took.
    pub search_us: i32,
}

/// A memory, as it is served.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRow {
    /// Its id.
    pub memory_id: MemoryId,
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
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// What became of its run.
    pub success: Option<bool>,
    /// As its run was described.
    pub metadata: Value,
    /// Where its text came from.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace: Option<TraceId>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What is worth knowing about how it was written.
    pub note: Option<String>,
    /// What looks out of place in its texts.
    pub flags: Vec<String>,
    /// How far its source is trusted.
    pub trust: Trust,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its utility.
    pub q: f32,
    /// What runs that used it were worth beyond expectation.
    pub credit: Credit,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
}

impl FromRow<'_, PgRow> for MemoryRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            task: row.try_get("task")?,
            reflection: row.try_get("reflection")?,
            summary: row.try_get("summary")?,
            guidance: row.try_get("guidance")?,
            key_mistake: row.try_get("key_mistake")?,
            correct_action: row.try_get("correct_action")?,
            applicable_tools: row.try_get("applicable_tools")?,
            tools_used: row.try_get("tools_used")?,
            success: row.try_get("success")?,
            metadata: row.try_get("metadata")?,
            origin: coded(MemoryOrigin::from_code(row.try_get("origin")?))?,
            source_trace: row.try_get("source_trace")?,
            model: row.try_get("model")?,
            note: row.try_get("note")?,
            flags: row.try_get("flags")?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            created_at: row.try_get("created_at")?,
            q: row.try_get("q")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
        })
    }
}

impl ProjectCtx {
    /// Fewer memories went out than a receipt says: only those may be credited.
    pub async fn shorten_receipt(&self, receipt: RetrievalId, served: usize) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let served = i32::try_from(served).unwrap_or(i32::MAX);
        let shortened = sqlx::query(include_str!("../../sql/memories/shorten_receipt.sql"));
        shortened.bind(self.project).bind(receipt).bind(served).execute(&mut *transaction).await?;
        self.commit(transaction).await
    }
}

impl Search {
    /// Writes the receipt and fetches the texts of what it says is served, in no particular order.
    pub async fn serve(mut self, receipt: &Receipt) -> Result<Vec<MemoryRow>, StoreError> {
        let rows = sqlx::query_as(include_str!("../../sql/memories/serve.sql"))
            .bind(self.project.project)
            .bind(receipt.retrieval_id)
            .bind(receipt.key_id)
            .bind(receipt.space)
            .bind(&receipt.task)
            .bind(receipt.task_digest)
            .bind(&receipt.parameters)
            .bind(&receipt.memory_ids)
            .bind(&receipt.similarities)
            .bind(&receipt.utilities)
            .bind(i32::try_from(receipt.served).unwrap_or(i32::MAX))
            .bind(receipt.degraded)
            .bind(receipt.embed_us)
            .bind(receipt.search_us)
            .bind(receipt.held_out)
            .bind(receipt.fates.iter().map(|fate| fate.code()).collect::<Vec<_>>())
            .fetch_all(&mut *self.transaction)
            .await?;
        self.transaction.commit().await?;
        Ok(rows)
    }
}
