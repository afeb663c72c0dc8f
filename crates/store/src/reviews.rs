//! Reviews: the verdict on a run.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{
    Alpha, IngestStatus, KeyId, MemoryId, RetrievalId, ReviewId, ReviewMode, ReviewResult, TraceId, Trust,
};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Row, Transaction};

use crate::actions::ActionId;
use crate::audit::Actor;
use crate::error::StoreError;
use crate::idempotency::Claim;
use crate::keys::coded;
use crate::learning::{NewMemory, Reviewed};
use crate::project_ctx::ProjectCtx;

/// How the reviewer of a judge's verdicts begins; the model follows.
pub const BY_JUDGE: &str = "judge:";

/// A verdict to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities, when the reviewer says so.
    pub alpha: Option<Alpha>,
    /// How it reached us.
    pub mode: ReviewMode,
    /// Who judged.
    pub reviewer: String,
    /// A lesson that came with it.
    pub authored: Option<serde_json::Value>,
    /// How long learning from it waits, so that it can be taken back before anything came of it.
    pub grace: Duration,
    /// The action that it is part of, when it is given together with others.
    pub action: Option<ActionId>,
    /// How far the reviewer's key is trusted.
    pub trust: Trust,
    /// What it may move, where that is less than all that its run was linked to.
    pub bounds: Option<VoteBounds>,
}

/// What a review of an untrusted key may move.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteBounds {
    /// The key.
    pub voter: KeyId,
    /// The memories, each once.
    pub memories: Vec<MemoryId>,
    /// How far, whatever the review says.
    pub step: Alpha,
    /// How often this key may move one memory in a day (UTC). What goes beyond is not entered into the ledger.
    pub most_a_day: u32,
}

impl NewReview {
    /// How far it moves utilities.
    pub fn step(&self) -> Alpha {
        self.alpha.unwrap_or(Alpha::DEFAULT)
    }
}

/// A stored verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRow {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: f32,
    /// How it reached us.
    pub mode: ReviewMode,
    /// Who judged.
    pub reviewer: String,
    /// A lesson that came with it.
    pub authored: Option<serde_json::Value>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When learning from it may begin, where its reviewer asked for a grace.
    pub learns_at: Option<DateTime<Utc>>,
}

impl ReviewRow {
    /// Whether the project's judge gave it.
    pub fn is_by_judge(&self) -> bool {
        self.reviewer.starts_with(BY_JUDGE)
    }
}

/// A verdict on a run that is stored already.
#[derive(Debug)]
pub struct ReviewChange<'a> {
    /// The run.
    pub trace: TraceId,
    /// Its verdict as the caller knows it. When it has become another one meanwhile, nothing is done.
    pub instead_of: Option<ReviewId>,
    /// The new verdict; none takes the old one back.
    pub review: Option<&'a NewReview>,
    /// The lesson, when it came along.
    pub lesson: Option<&'a NewMemory>,
}

/// Who stands behind a run and its verdict, and what a verdict of it would move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// How far the key that sent the run is trusted.
    pub trust: Trust,
    /// The same of whoever gave its live verdict.
    pub review_trust: Option<Trust>,
    /// The memories that the run had.
    pub linked: Vec<MemoryId>,
    /// The receipt through which that is known.
    pub retrieval: Option<RetrievalId>,
}

impl FromRow<'_, PgRow> for Standing {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let review_trust: Option<i16> = row.try_get("review_trust")?;
        Ok(Self {
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            review_trust: review_trust.map(|code| coded(Trust::from_code(code))).transpose()?,
            linked: row.try_get("linked")?,
            retrieval: row.try_get("linked_retrieval")?,
        })
    }
}

impl ProjectCtx {
    /// Who stands behind a run.
    pub async fn standing(&self, trace: TraceId) -> Result<Standing, StoreError> {
        let mut transaction = self.read().await?;
        let found =
            sqlx::query_as(include_str!("../sql/reviews/standing.sql")).bind(self.project).bind(trace);
        let found = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "trace" })
    }
}

/// What the change of a verdict has to know of its run.
#[derive(sqlx::FromRow)]
struct Current {
    review_id: Option<ReviewId>,
    linked: Vec<MemoryId>,
}

impl ProjectCtx {
    /// Gives a run a verdict, replaces the one it has, or takes it back: the old one's ledger entries
    /// are withdrawn and what they moved is folded anew, the memory it made is retired, and the new one
    /// moves what it moves. False when the verdict is not what the caller took it to be. A call that was made
    /// before changes nothing, whatever became of the verdict since.
    pub async fn change_review(
        &self,
        change: &ReviewChange<'_>,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        if self.claim_review(&mut transaction, claim, change.trace).await? {
            return Ok(true);
        }
        let changed = self.change_review_in(&mut transaction, change, actor).await?;
        if changed {
            self.commit(transaction).await?;
        }
        Ok(changed)
    }

    /// Takes the claim of a call that found nothing to change: sent again, it must find that too. False when the
    /// verdict is not what the caller took it to be.
    pub async fn keep_review(
        &self,
        trace: TraceId,
        review: Option<ReviewId>,
        claim: Option<&Claim>,
    ) -> Result<bool, StoreError> {
        if claim.is_none() {
            return Ok(true);
        }
        let mut transaction = self.write().await?;
        if self.claim_review(&mut transaction, claim, trace).await? {
            return Ok(true);
        }
        let kept = self.current_review(&mut transaction, trace).await?.review_id == review;
        if kept {
            self.commit(transaction).await?;
        }
        Ok(kept)
    }

    /// A run's verdict as it stands; nobody else changes it until the transaction ends.
    async fn current_review(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        trace: TraceId,
    ) -> Result<Current, StoreError> {
        let current =
            sqlx::query_as(include_str!("../sql/reviews/current.sql")).bind(self.project).bind(trace);
        let current = current.fetch_optional(&mut **transaction).await?;
        current.ok_or(StoreError::NotFound { what: "trace" })
    }

    /// The change of a verdict inside a transaction of the caller's.
    pub(crate) async fn change_review_in(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        change: &ReviewChange<'_>,
        actor: &Actor,
    ) -> Result<bool, StoreError> {
        let current = self.current_review(transaction, change.trace).await?;
        if current.review_id != change.instead_of {
            return Ok(false);
        }
        let new_id = change.review.map(|review| review.review_id);
        if let Some(old) = current.review_id {
            self.end_review(transaction, old, new_id).await?;
            let action = if new_id.is_some() { "review.replace" } else { "review.withdraw" };
            self.note(transaction, actor, action, &old.to_string()).await?;
        }
        let ingest = if change.review.is_some() { IngestStatus::Queued } else { IngestStatus::Completed };
        sqlx::query(include_str!("../sql/reviews/restate.sql"))
            .bind(self.project)
            .bind(change.trace)
            .bind(new_id)
            .bind(ingest.code())
            .execute(&mut **transaction)
            .await?;
        if let Some(review) = change.review {
            let reviewed =
                Reviewed { trace: change.trace, review, linked: &current.linked, lesson: change.lesson };
            self.begin_learning(transaction, &[reviewed]).await?;
            self.leave_queue(transaction, &[change.trace]).await?;
        }
        Ok(true)
    }

    async fn end_review(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        old: ReviewId,
        new: Option<ReviewId>,
    ) -> Result<(), StoreError> {
        let ended = sqlx::query(include_str!("../sql/reviews/supersede.sql"));
        ended.bind(self.project).bind(old).bind(new).execute(&mut **transaction).await?;
        self.discredit(transaction, old).await?;
        let retired = sqlx::query(include_str!("../sql/memories/retire.sql")).bind(self.project).bind(old);
        retired.execute(&mut **transaction).await?;
        self.dequeue(transaction, old).await
    }
}
