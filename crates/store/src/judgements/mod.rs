//! What a project's judge says of runs: kept when it was paid for, made a review where it counts, and held against
//! what people say.

mod measure;
mod queue;

use chrono::{DateTime, Utc};
use reflect_types::{ReviewId, ReviewResult, TraceId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit::Actor;
use crate::error::StoreError;
use crate::learning::Cost;
use crate::project_ctx::ProjectCtx;
use crate::reviews::{NewReview, ReviewChange};
pub use measure::{JudgePairs, JudgeWeek};
pub use queue::JudgeCandidate;

/// Nobody could tell.
const UNCLEAR: i16 = 2;

/// Which judge it is. With another model or another rubric it is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeIdentity {
    /// The model.
    pub model: String,
    /// Digest of what it is asked to look for.
    pub rubric_digest: [u8; 32],
}

/// A judgement to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJudgement<'a> {
    /// The run.
    pub trace: TraceId,
    /// The verdict; none when nobody could tell.
    pub result: Option<ReviewResult>,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far the judge's own score backs its verdict, 0 to 1.
    pub confidence: Option<f32>,
    /// Which judge.
    pub by: &'a JudgeIdentity,
    /// Whether it is kept from reviewers and becomes no review.
    pub blind: bool,
}

/// A kept judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementRow {
    /// The run.
    pub trace_id: TraceId,
    /// The verdict; none when nobody could tell.
    pub result: Option<ReviewResult>,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far the judge's own score backs its verdict, 0 to 1.
    pub confidence: Option<f32>,
    /// The model.
    pub model: String,
    /// Digest of what it was asked to look for.
    pub rubric_digest: Vec<u8>,
    /// Whether it is kept from reviewers until they have decided.
    pub blind: bool,
    /// The review that it became.
    pub applied_review: Option<ReviewId>,
    /// When it was kept.
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

impl ProjectCtx {
    /// Keeps a judgement the moment it was paid for. False when the run has one already or is gone; what it cost is
    /// noted in any case.
    pub async fn keep_judgement(&self, judgement: &NewJudgement<'_>, cost: Cost) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let kept = sqlx::query(include_str!("../../sql/judgements/keep.sql"))
            .bind(self.project)
            .bind(judgement.trace)
            .bind(code(judgement.result))
            .bind(&judgement.feedback)
            .bind(judgement.confidence)
            .bind(&judgement.by.model)
            .bind(judgement.by.rubric_digest.as_slice())
            .bind(judgement.blind)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await?;
        Ok(kept.rows_affected() > 0)
    }

    /// Makes a judgement the run's review: both say so, or neither. False when the run has a review: a judge
    /// replaces nobody's.
    pub async fn apply_judgement(
        &self,
        trace: TraceId,
        review: &NewReview,
        actor: &Actor,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let change = ReviewChange { trace, instead_of: None, review: Some(review), lesson: None };
        let changed = self.change_review_in(&mut transaction, &change, actor).await?;
        if changed {
            let applied = sqlx::query(include_str!("../../sql/judgements/applied.sql"));
            let applied = applied.bind(self.project).bind(trace).bind(review.review_id);
            applied.execute(&mut *transaction).await?;
            self.commit(transaction).await?;
        }
        Ok(changed)
    }

    /// What the judge said of a run. For the judge itself: it may be blind.
    pub async fn judgement(&self, trace: TraceId) -> Result<Option<JudgementRow>, StoreError> {
        self.find_judgement(include_str!("../../sql/judgements/find.sql"), trace).await
    }

    /// What the judge said of a run, for whoever reviews it: a blind one only after the run was reviewed.
    pub async fn judgement_to_show(&self, trace: TraceId) -> Result<Option<JudgementRow>, StoreError> {
        self.find_judgement(include_str!("../../sql/judgements/shown.sql"), trace).await
    }

    async fn find_judgement(
        &self,
        statement: &'static str,
        trace: TraceId,
    ) -> Result<Option<JudgementRow>, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(statement).bind(self.project).bind(trace);
        let found = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(found)
    }
}
