//! Reviews of runs: storing, replacing and withdrawing them.

mod bulk;
mod insert;

use chrono::{DateTime, Utc};
use reflect_types::{
    CrashPoint, IngestStatus, MemoryId, RetrievalId, ReviewId, ReviewMode, ReviewResult, ReviewerKind,
    TraceId, Trust,
};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit;
use crate::audit::AuditActor;
use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::idempotency::{self, Claim};
use crate::jobs;
use crate::ledger::{self, Prepared};
use crate::lessons::{self, NewMemoryRow};
use crate::memory_changes;

pub use bulk::{BulkChunk, UnreviewedRun};
pub use insert::NewReview;
pub(crate) use insert::{Reviewed, insert};

/// The reviews of runs.
#[derive(Debug, Clone, Copy)]
pub struct ReviewStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// A stored review.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRow {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// The learning rate.
    pub alpha: f32,
    /// How it was sent.
    pub mode: ReviewMode,
    /// The reviewer.
    pub reviewer: String,
    /// A lesson that was sent with it.
    pub authored: Option<serde_json::Value>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When learning may begin, if there is a grace period.
    pub learns_at: Option<DateTime<Utc>>,
}

impl ReviewRow {
    /// Who gave it.
    pub fn by(&self) -> ReviewerKind {
        ReviewerKind::of(&self.reviewer)
    }
}

/// A change of the review of a stored run.
#[derive(Debug)]
pub struct ReviewChange<'a> {
    /// The run.
    pub trace: TraceId,
    /// The review that the caller expects. If the run has another one, nothing is changed.
    pub instead_of: Option<ReviewId>,
    /// The new review. `None` withdraws the old one.
    pub review: Option<&'a NewReview>,
    /// The lesson, if it was sent with the review.
    pub lesson: Option<&'a NewMemoryRow>,
}

/// The trust behind a run and its review, and the memories that a review would move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewBasis {
    /// The trust of the key that sent the run.
    pub trust: Trust,
    /// The trust of the key that reviewed it.
    pub review_trust: Option<Trust>,
    /// The memories that the run had.
    pub linked: Vec<MemoryId>,
    /// The receipt of that link.
    pub retrieval: Option<RetrievalId>,
}

impl FromRow<'_, PgRow> for ReviewBasis {
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

impl ReviewStore<'_> {
    /// Whether a call was made before.
    pub async fn is_repeat(&self, claim: Option<&Claim>) -> Result<bool, StoreError> {
        let Some(claim) = claim else { return Ok(false) };
        let mut transaction = self.db.point_read().await?;
        let repeat = idempotency::is_repeat(&mut transaction, claim).await?;
        transaction.commit().await?;
        Ok(repeat)
    }

    /// The trust behind a run and its review, and the memories that a review would move.
    pub async fn basis(&self, trace: TraceId) -> Result<ReviewBasis, StoreError> {
        let mut transaction = self.db.point_read().await?;
        let found =
            sqlx::query_as(include_str!("../../sql/reviews/basis.sql")).bind(self.db.project).bind(trace);
        let found = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        found.ok_or(StoreError::NotFound { what: "trace" })
    }
}

/// The current review of a run, and its memories.
#[derive(sqlx::FromRow)]
struct Current {
    review_id: Option<ReviewId>,
    linked: Vec<MemoryId>,
}

impl ReviewStore<'_> {
    /// Sets, replaces or withdraws the review of a run. The ledger entries of the old review are withdrawn, the
    /// memories that it moved are folded again, and its memory is retired. Returns false if the run has another
    /// review than the caller expects. A repeated call changes nothing. Long ledgers are folded before anything is
    /// locked.
    pub async fn change(
        &self,
        change: &ReviewChange<'_>,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<bool, StoreError> {
        let prepared = match change.instead_of {
            Some(old) => ledger::prepare(self.db, old).await?,
            None => Prepared::default(),
        };
        let mut transaction = self.db.point_write().await?;
        if idempotency::claim_review(&mut transaction, claim, change.trace).await? {
            return transaction.repeat(true).await;
        }
        let changed = change_in(&mut transaction, change, actor, prepared).await?;
        if changed {
            transaction.commit_at(CrashPoint::ReviewCommit).await?;
        }
        Ok(changed)
    }

    /// Takes the idempotency key of a call that changes nothing, so a repeated call changes nothing either. Returns
    /// false if the run has another review than the caller expects.
    pub async fn confirm(
        &self,
        trace: TraceId,
        review: Option<ReviewId>,
        claim: Option<&Claim>,
    ) -> Result<bool, StoreError> {
        if claim.is_none() {
            return Ok(true);
        }
        let mut transaction = self.db.point_write().await?;
        if idempotency::claim_review(&mut transaction, claim, trace).await? {
            return transaction.repeat(true).await;
        }
        let kept = current_review(&mut transaction, trace).await?.review_id == review;
        if kept {
            transaction.commit().await?;
        }
        Ok(kept)
    }
}

/// The current review of a run. Locks it until the transaction ends.
async fn current_review(transaction: &mut ProjectTx, trace: TraceId) -> Result<Current, StoreError> {
    let current =
        sqlx::query_as(include_str!("../../sql/reviews/current.sql")).bind(transaction.project).bind(trace);
    let current = current.fetch_optional(&mut **transaction).await?;
    current.ok_or(StoreError::NotFound { what: "trace" })
}

/// Changes a review in the transaction of the caller.
pub(crate) async fn change_in(
    transaction: &mut ProjectTx,
    change: &ReviewChange<'_>,
    actor: &AuditActor,
    prepared: Prepared,
) -> Result<bool, StoreError> {
    let current = current_review(transaction, change.trace).await?;
    if current.review_id != change.instead_of {
        return Ok(false);
    }
    let new_id = change.review.map(|review| review.review_id);
    if let Some(old) = current.review_id {
        let made = lessons::made_by(transaction, old).await?;
        lessons::lock_absorbed_runs(transaction, Some(old), &made).await?;
        let also = locked_before(transaction, change, &current).await?;
        end_review(transaction, (old, new_id), prepared, &made, &also).await?;
        let action = if new_id.is_some() { "review.replace" } else { "review.withdraw" };
        audit::record(transaction, actor, action, &old.to_string()).await?;
    }
    let ingest = if change.review.is_some() { IngestStatus::Queued } else { IngestStatus::Completed };
    let types: Option<i32> = sqlx::query_scalar(include_str!("../../sql/reviews/restate.sql"))
        .bind(transaction.project)
        .bind(change.trace)
        .bind(new_id)
        .bind(ingest.code())
        .fetch_optional(&mut **transaction)
        .await?;
    if change.review.is_none() {
        transaction.outgoing.add_waiting(types.unwrap_or(0), 1);
    }
    if let Some(review) = change.review {
        let reviewed =
            Reviewed { trace: change.trace, review, linked: &current.linked, lesson: change.lesson };
        insert(transaction, &[reviewed]).await?;
        leave_queue(transaction, &[change.trace]).await?;
    }
    Ok(true)
}

/// The memories that a new review with a lesson locks. All memories of a transaction are locked in one order.
async fn locked_before(
    transaction: &mut ProjectTx,
    change: &ReviewChange<'_>,
    current: &Current,
) -> Result<Vec<MemoryId>, StoreError> {
    let Some(lesson) = change.lesson else { return Ok(Vec::new()) };
    let mut memories = lessons::lock_targets(transaction, lesson).await?;
    memories.extend(&current.linked);
    Ok(memories)
}

/// Ends a review that another one may replace, and retires the memories that it created (`made`). The runs that these absorbed
/// are locked already, and so are the texts of `also`.
async fn end_review(
    transaction: &mut ProjectTx,
    (old, new): (ReviewId, Option<ReviewId>),
    prepared: Prepared,
    made: &[MemoryId],
    also: &[MemoryId],
) -> Result<(), StoreError> {
    let ended = sqlx::query(include_str!("../../sql/reviews/supersede.sql"));
    ended.bind(transaction.project).bind(old).bind(new).execute(&mut **transaction).await?;
    ledger::withdraw(transaction, old, prepared, made, also).await?;
    let absorbers = memory_changes::absorbers(transaction, made).await?;
    let retired = sqlx::query(include_str!("../../sql/memories/retire.sql"));
    retired.bind(transaction.project).bind(made).execute(&mut **transaction).await?;
    lessons::release(transaction, Some(old), made, &absorbers).await?;
    jobs::dequeue_learning(transaction, old).await
}

/// Removes runs from the review queue.
async fn leave_queue(transaction: &mut ProjectTx, traces: &[TraceId]) -> Result<(), StoreError> {
    let left = sqlx::query(include_str!("../../sql/review_queue/leave.sql"));
    left.bind(transaction.project).bind(traces).execute(&mut **transaction).await?;
    Ok(())
}
