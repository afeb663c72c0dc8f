//! The input of learning: the run, its review, and the memories that it was shown.

use reflect_types::{KeyId, MemoryId, ReviewId, ReviewResult, TraceId, Trust};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::LearningStore;
use crate::db::coded;
use crate::error::StoreError;
use crate::reviews::BY_JUDGE;
use crate::sealing::SealedColumn;
use crate::traces::{BodyFacts, StoredBody, open_body};

/// The input of learning from a review.
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
    /// Reference text that the run was checked against.
    pub reference_context: Option<String>,
    /// The key that sent the run.
    pub key_id: KeyId,
    /// The trust level of that key.
    pub trust: Trust,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// Whether the project's judge, a model, gave the verdict and wrote the feedback.
    pub by_judge: bool,
    /// A lesson that was sent with the review.
    pub authored: Option<Value>,
    /// The number of this attempt, from 1. Interrupted attempts count too.
    pub attempt: i16,
    /// How many attempts failed.
    pub failures: i16,
    /// The stored draft of the reflection.
    pub draft: Option<Value>,
    /// The memories that the run had.
    pub linked: Vec<MemoryId>,
    /// Which of them it used, if the client reported that.
    pub used: Option<Vec<MemoryId>>,
    /// The existing ones.
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
    body: BodyFacts,
}

impl FromRow<'_, PgRow> for Started {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let passed: bool = row.try_get("passed")?;
        let reviewer: String = row.try_get("reviewer")?;
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
            by_judge: reviewer.starts_with(BY_JUDGE),
            authored: row.try_get("authored")?,
            attempt: row.try_get("attempts")?,
            failures: row.try_get("failures")?,
            draft: None,
            linked: row.try_get("linked")?,
            used: row.try_get("used")?,
            shown: Vec::new(),
        };
        Ok(Self { input, body: BodyFacts::from_row(row)? })
    }
}

impl LearningStore<'_> {
    /// Marks a run as being learned from and returns the input. `None` if nothing is left to learn.
    pub async fn start(&self, review: ReviewId) -> Result<Option<LearnInput>, StoreError> {
        let mut transaction = self.db.write().await?;
        let started =
            sqlx::query_as(include_str!("../../sql/learning/start.sql")).bind(self.db.project).bind(review);
        let started: Option<Started> = started.fetch_optional(&mut *transaction).await?;
        let Some(Started { mut input, body }) = started else { return Ok(None) };
        let bodies = sqlx::query_as(include_str!("../../sql/traces/bodies.sql"));
        let found: Option<StoredBody> =
            bodies.bind(self.db.project).bind(vec![input.trace_id]).fetch_optional(&mut *transaction).await?;
        if let Some(stored) = found {
            input.trajectory = open_body(&transaction.sealer, &body, &stored)
                .map_err(|_| StoreError::Corrupt { what: "body" })?;
        }
        let place = SealedColumn::ReviewFeedback.of(review.as_uuid());
        transaction.sealer.open_field(place, &mut input.feedback)?;
        let draft = sqlx::query_scalar(include_str!("../../sql/learning/draft.sql"));
        input.draft = draft.bind(self.db.project).bind(review).fetch_optional(&mut *transaction).await?;
        let shown = sqlx::query_as(include_str!("../../sql/learning/shown.sql"));
        let shown = shown.bind(self.db.project).bind(review).bind(&input.linked);
        input.shown = shown.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Some(input))
    }
}
