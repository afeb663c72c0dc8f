//! What a lesson is made of: the run, the verdict, and what the run had been shown.

use reflect_types::{KeyId, MemoryId, ReviewId, ReviewResult, TraceId, Trust};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::body;
use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;

/// Everything that learning from a review takes.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnInput {
    /// The review.
    pub review_id: ReviewId,
    /// The run.
    pub trace_id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages as a JSON array; an empty one when the body has expired.
    pub trajectory: String,
    /// The agent's answer.
    pub final_response: Option<String>,
    /// As sent.
    pub metadata: Value,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
    /// The key that sent the run.
    pub key_id: KeyId,
    /// How far that key's word is trusted.
    pub trust: Trust,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// A lesson that came with the verdict.
    pub authored: Option<Value>,
    /// Which attempt this is, counting from 1; those that were cut short count too.
    pub attempt: i16,
    /// How many attempts failed for a reason of their own.
    pub failures: i16,
    /// The reflection that was paid for before.
    pub draft: Option<Value>,
    /// The memories that the run had, as far as the run says.
    pub linked: Vec<MemoryId>,
    /// Which of them it made use of, when the client said so.
    pub used: Option<Vec<MemoryId>>,
    /// Those of them that there are.
    pub shown: Vec<ShownMemory>,
}

/// A memory that a run had.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ShownMemory {
    /// Its id.
    pub memory_id: MemoryId,
    /// The task it was learned from.
    pub task: String,
    /// The lesson.
    pub reflection: String,
}

struct Started {
    input: LearnInput,
    codec: i16,
    length: i32,
    digest: Vec<u8>,
}

impl FromRow<'_, PgRow> for Started {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let passed: bool = row.try_get("passed")?;
        let input = LearnInput {
            review_id: row.try_get("review_id")?,
            trace_id: row.try_get("trace_id")?,
            task: row.try_get("task")?,
            trajectory: "[]".to_owned(),
            final_response: row.try_get("final_response")?,
            metadata: row.try_get("metadata")?,
            reference_context: row.try_get("reference_context")?,
            key_id: row.try_get("key_id")?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            result: if passed { ReviewResult::Pass } else { ReviewResult::Fail },
            feedback: row.try_get("feedback")?,
            authored: row.try_get("authored")?,
            attempt: row.try_get("attempts")?,
            failures: row.try_get("failures")?,
            draft: None,
            linked: row.try_get("linked")?,
            used: row.try_get("used")?,
            shown: Vec::new(),
        };
        Ok(Self {
            input,
            codec: row.try_get("body_codec")?,
            length: row.try_get("body_length")?,
            digest: row.try_get("body_digest")?,
        })
    }
}

impl ProjectCtx {
    /// Marks a run as being learned from and fetches what that takes. None when nothing is left to learn.
    pub async fn start_learning(&self, review: ReviewId) -> Result<Option<LearnInput>, StoreError> {
        let mut transaction = self.write().await?;
        let started =
            sqlx::query_as(include_str!("../../sql/learning/start.sql")).bind(self.project).bind(review);
        let started: Option<Started> = started.fetch_optional(&mut *transaction).await?;
        let Some(Started { mut input, codec, length, digest }) = started else { return Ok(None) };
        let bodies = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"));
        let found: Option<(TraceId, Vec<u8>)> =
            bodies.bind(self.project).bind(vec![input.trace_id]).fetch_optional(&mut *transaction).await?;
        if let Some((_, bytes)) = found {
            input.trajectory = body::decode(codec, length, &digest, &bytes)
                .map_err(|_| StoreError::Corrupt { what: "body" })?;
        }
        let draft = sqlx::query_scalar(include_str!("../../sql/learning/draft.sql"));
        input.draft = draft.bind(self.project).bind(review).fetch_optional(&mut *transaction).await?;
        let shown = sqlx::query_as(include_str!("../../sql/learning/shown.sql"));
        input.shown = shown.bind(self.project).bind(review).fetch_all(&mut *transaction).await?;
        self.commit(transaction).await?;
        Ok(Some(input))
    }
}
