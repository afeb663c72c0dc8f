//! Judgements of the project's judge: stored with their cost, applied as reviews where allowed, and compared with
//! reviews by people.

mod measure;
mod queue;

use chrono::{DateTime, Utc};
use reflect_types::{CrashPoint, ReviewId, ReviewResult, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit::AuditActor;
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::learning::ModelCost;
use crate::ledger::Prepared;
use crate::reviews;
use crate::reviews::{NewReview, ReviewChange};
use crate::sealing::SealedColumn;
use crate::signals::SignalStore;
pub use measure::JudgeWeekCounts;
pub(crate) use measure::pairs;
pub use queue::JudgeCandidate;

/// The judge could not decide.
const UNCLEAR: i16 = 2;

/// The verdicts of the project's judge.
#[derive(Debug, Clone, Copy)]
pub struct JudgementStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// The identity of a judge: its model and its rubric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeIdentity {
    /// The model.
    pub model: String,
    /// Digest of the rubric.
    pub rubric_digest: [u8; 32],
}

/// A judgement to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJudgement<'a> {
    /// The run.
    pub trace: TraceId,
    /// The verdict. `None` if the judge could not decide.
    pub result: Option<ReviewResult>,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// Confidence of the judge, 0 to 1.
    pub confidence: Option<f32>,
    /// Which judge.
    pub by: &'a JudgeIdentity,
    /// Whether it is hidden from reviewers and never becomes a review.
    pub blind: bool,
}

/// A stored judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementRow {
    /// The run.
    pub trace_id: TraceId,
    /// The verdict. `None` if the judge could not decide.
    pub result: Option<ReviewResult>,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// Confidence of the judge, 0 to 1.
    pub confidence: Option<f32>,
    /// The model.
    pub model: String,
    /// Digest of the rubric.
    pub rubric_digest: Vec<u8>,
    /// Whether it is hidden from reviewers until the run is reviewed.
    pub blind: bool,
    /// The review that it became.
    pub applied_review: Option<ReviewId>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

impl FromRow<'_, PgRow> for JudgementRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            trace_id: row.try_get("trace_id")?,
            result: result(row.try_get("verdict")?),
            feedback: row.try_get("feedback")?,
            confidence: row.try_get("confidence")?,
            model: row.try_get("model")?,
            rubric_digest: row.try_get("rubric_digest")?,
            blind: row.try_get("blind")?,
            applied_review: row.try_get("applied_review")?,
            created_at: row.try_get("created_at")?,
        })
    }
}

const fn result(verdict: i16) -> Option<ReviewResult> {
    match verdict {
        0 => Some(ReviewResult::Fail),
        1 => Some(ReviewResult::Pass),
        _ => None,
    }
}

const fn code(result: Option<ReviewResult>) -> i16 {
    match result {
        Some(ReviewResult::Fail) => 0,
        Some(ReviewResult::Pass) => 1,
        None => UNCLEAR,
    }
}

impl<'a> JudgementStore<'a> {
    /// Signals: the verdicts of other systems.
    pub const fn signals(self) -> SignalStore<'a> {
        SignalStore { db: self.db }
    }
}

impl JudgementStore<'_> {
    /// Stores a judgement and its cost. Returns false if the run already has one or does not exist; the cost is
    /// stored in any case.
    pub async fn record(&self, judgement: &NewJudgement<'_>, cost: ModelCost) -> Result<bool, StoreError> {
        let mut transaction = self.db.write().await?;
        let place = SealedColumn::JudgementFeedback.of(judgement.trace.as_uuid());
        let feedback = judgement.feedback.as_deref();
        let feedback = feedback.map(|text| transaction.sealer.seal_text(place, text)).transpose()?;
        let kept = sqlx::query(include_str!("../../sql/judgements/record.sql"))
            .bind(self.db.project)
            .bind(judgement.trace)
            .bind(code(judgement.result))
            .bind(feedback.as_deref())
            .bind(judgement.confidence)
            .bind(&judgement.by.model)
            .bind(judgement.by.rubric_digest.as_slice())
            .bind(judgement.blind)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        transaction.commit_at(CrashPoint::JudgeRecord).await?;
        Ok(kept.rows_affected() > 0)
    }

    /// Applies a judgement as the run's review, in one transaction. Returns false if the run has a review: a judge
    /// never replaces one.
    pub async fn apply(
        &self,
        trace: TraceId,
        review: &NewReview,
        actor: &AuditActor,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.db.write().await?;
        let change = ReviewChange { trace, instead_of: None, review: Some(review), lesson: None };
        let changed = reviews::change_in(&mut transaction, &change, actor, Prepared::default()).await?;
        if changed {
            let applied = sqlx::query(include_str!("../../sql/judgements/applied.sql"));
            let applied = applied.bind(self.db.project).bind(trace).bind(review.review_id);
            applied.execute(&mut *transaction).await?;
            transaction.commit_at(CrashPoint::JudgeApply).await?;
        }
        Ok(changed)
    }

    /// The judgement of a run, blind or not.
    pub async fn get(&self, trace: TraceId) -> Result<Option<JudgementRow>, StoreError> {
        self.find_judgement(include_str!("../../sql/judgements/find.sql"), trace).await
    }

    /// The judgement of a run as a reviewer may see it: a blind one only after the review.
    pub async fn get_visible(&self, trace: TraceId) -> Result<Option<JudgementRow>, StoreError> {
        self.find_judgement(include_str!("../../sql/judgements/shown.sql"), trace).await
    }

    async fn find_judgement(
        &self,
        statement: &'static str,
        trace: TraceId,
    ) -> Result<Option<JudgementRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let found = sqlx::query_as(statement).bind(self.db.project).bind(trace);
        let mut found: Option<JudgementRow> = found.fetch_optional(&mut *transaction).await?;
        if let Some(row) = &mut found {
            let place = SealedColumn::JudgementFeedback.of(row.trace_id.as_uuid());
            transaction.sealer.open_field(place, &mut row.feedback)?;
        }
        transaction.commit().await?;
        Ok(found)
    }
}
