//! The input of learning: the run, its review, and the memories that it was shown.

use reflect_types::{CrashPoint, KeyId, MemoryId, ReviewId, ReviewResult, ReviewerKind, TraceId, Trust};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::LearningStore;
use crate::db::coded;
use crate::error::StoreError;
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
    /// Who gave the verdict and wrote the feedback.
    pub by: ReviewerKind,
    /// A lesson that was sent with the review.
    pub authored: Option<Value>,
    /// The number of this attempt, from 1. Interrupted attempts count too.
    pub attempt: i16,
    /// How many attempts failed.
    pub failures: i16,
    /// The stored draft of the reflection.
    pub draft: Option<Value>,
    /// What a model said about near lessons in an earlier attempt.
    pub relations: Option<Value>,
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

/// A review, as learning needs it.
#[derive(FromRow)]
struct ReviewPart {
    trace_id: TraceId,
    passed: bool,
    feedback: Option<String>,
    authored: Option<Value>,
    reviewer: String,
    trust: i16,
}

/// The input from a review and the run that it is about, without the messages.
fn input(review_id: ReviewId, review: ReviewPart, run: &PgRow) -> Result<LearnInput, sqlx::Error> {
    // The lower of the keys that sent and reviewed the run.
    let trust = review.trust.min(run.try_get("trust")?);
    Ok(LearnInput {
        review_id,
        trace_id: review.trace_id,
        task: run.try_get("task")?,
        trajectory: "[]".to_owned(),
        final_response: run.try_get("final_response")?,
        metadata: run.try_get("metadata")?,
        reference_context: run.try_get("reference_context")?,
        key_id: run.try_get("key_id")?,
        trust: coded(Trust::from_code(trust))?,
        result: if review.passed { ReviewResult::Pass } else { ReviewResult::Fail },
        by: ReviewerKind::of(&review.reviewer),
        feedback: review.feedback,
        authored: review.authored,
        attempt: run.try_get("attempts")?,
        failures: run.try_get("failures")?,
        draft: run.try_get("draft")?,
        relations: run.try_get("relations")?,
        linked: run.try_get("linked")?,
        used: run.try_get("used")?,
        shown: Vec::new(),
    })
}

impl LearningStore<'_> {
    /// Marks a run as being learned from and returns the input. `None` if nothing is left to learn. A crash of the
    /// database server may lose the mark: the run is then queued again, and this attempt is not counted.
    pub async fn start(&self, review: ReviewId) -> Result<Option<LearnInput>, StoreError> {
        let mut transaction = self.db.relaxed_point_write().await?;
        let given: Option<ReviewPart> = sqlx::query_as(include_str!("../../sql/learning/review.sql"))
            .bind(self.db.project)
            .bind(review)
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(given) = given else { return Ok(None) };
        let run = sqlx::query(include_str!("../../sql/learning/start.sql"))
            .bind(self.db.project)
            .bind(given.trace_id)
            .bind(review)
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(run) = run else { return Ok(None) };
        let mut input = input(review, given, &run)?;
        if let Some(stored) = StoredBody::of_run(input.trace_id, &run)? {
            input.trajectory = open_body(&transaction.sealer, &BodyFacts::from_row(&run)?, &stored)
                .map_err(|_| StoreError::Corrupt { what: "body" })?;
        }
        let place = SealedColumn::ReviewFeedback.of(review.as_uuid());
        transaction.sealer.open_field(place, &mut input.feedback)?;
        // Only linked memories are in the ledger.
        if !input.linked.is_empty() {
            let shown = sqlx::query_as(include_str!("../../sql/learning/shown.sql"));
            let shown = shown.bind(self.db.project).bind(review).bind(&input.linked);
            input.shown = shown.fetch_all(&mut *transaction).await?;
        }
        transaction.commit_at(CrashPoint::LearnStart).await?;
        Ok(Some(input))
    }
}
