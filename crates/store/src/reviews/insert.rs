//! Storing reviews: the rows, the ledger entries and the learning jobs, in one transaction.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_rules::votes::{VoteBounds, votes_of};
use reflect_types::{Alpha, MemoryId, ReviewId, ReviewMode, ReviewResult, TraceId, Trust};
use sqlx::types::Json;

use crate::db::ProjectTx;
use crate::error::{StoreError, violates};
use crate::ids::ActionId;
use crate::jobs;
use crate::ledger;
use crate::lessons::{self, NewMemoryRow};
use crate::sealing::{SealError, SealedColumn, Sealer};

/// A review to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// Its id.
    pub review_id: ReviewId,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// The learning rate, if the reviewer set it.
    pub alpha: Option<Alpha>,
    /// How it was sent.
    pub mode: ReviewMode,
    /// The reviewer.
    pub reviewer: String,
    /// A lesson that was sent with it.
    pub authored: Option<serde_json::Value>,
    /// How long learning waits, because the reviewer may withdraw the review before.
    pub grace: Duration,
    /// The bulk action that it is part of.
    pub action: Option<ActionId>,
    /// The trust of the reviewer's key.
    pub trust: Trust,
    /// Limits on what it may move. `None` if it may move all memories of the run.
    pub bounds: Option<VoteBounds>,
    /// When the run was reviewed, if that was earlier.
    pub reviewed_at: Option<DateTime<Utc>>,
}

impl NewReview {
    /// The learning rate.
    pub fn step(&self) -> Alpha {
        self.alpha.unwrap_or(Alpha::DEFAULT)
    }
}

/// A run whose review is being stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reviewed<'a> {
    pub(crate) trace: TraceId,
    pub(crate) review: &'a NewReview,
    /// The memories that the run had.
    pub(crate) linked: &'a [MemoryId],
    /// The lesson, if it was sent with the review.
    pub(crate) lesson: Option<&'a NewMemoryRow>,
}

/// Stores reviews of runs that have none, moves utilities, and queues learning. Returns what the runs whose lesson was sent
/// created: their memories, or those that absorbed them.
pub(crate) async fn insert(
    transaction: &mut ProjectTx,
    reviewed: &[Reviewed<'_>],
) -> Result<HashMap<TraceId, MemoryId>, StoreError> {
    let mut created = HashMap::new();
    if reviewed.is_empty() {
        return Ok(created);
    }
    insert_rows(transaction, reviewed).await?;
    let new: Vec<&NewMemoryRow> = reviewed.iter().filter_map(|run| run.lesson).collect();
    // The memories of lessons and of votes are locked by one statement. Without lessons, entering the votes locks theirs.
    let mut plans = match new.is_empty() {
        true => None,
        false => {
            let linked: Vec<MemoryId> = reviewed.iter().flat_map(|run| run.linked).copied().collect();
            Some(lessons::lock_plans(transaction, &new, None, &linked).await?)
        }
    };
    let votes = reviewed.iter().flat_map(|run| {
        let NewReview { review_id, result, alpha, bounds, .. } = run.review;
        votes_of(*review_id, *result, *alpha, run.linked, bounds.as_ref())
    });
    ledger::enter(transaction, votes.collect()).await?;
    for run in reviewed {
        if let (Some(lesson), Some(plans)) = (run.lesson, &mut plans) {
            let review = run.review.review_id;
            let made = lessons::finish(transaction, run.trace, review, lesson, plans).await?;
            created.extend(made.map(|memory| (run.trace, memory)));
        }
    }
    let mut open: BTreeMap<Duration, Vec<ReviewId>> = BTreeMap::new();
    for run in reviewed.iter().filter(|run| run.lesson.is_none()) {
        open.entry(run.review.grace).or_default().push(run.review.review_id);
    }
    for (grace, reviews) in open {
        jobs::enqueue_learning(transaction, &reviews, grace).await?;
    }
    Ok(created)
}

async fn insert_rows(transaction: &mut ProjectTx, reviewed: &[Reviewed<'_>]) -> Result<(), StoreError> {
    fn all<'a, T>(runs: &[Reviewed<'a>], part: impl Fn(&'a NewReview) -> T) -> Vec<T> {
        runs.iter().map(|run| part(run.review)).collect()
    }
    let feedback = sealed_feedback(&transaction.sealer, reviewed)?;
    let inserted = sqlx::query(include_str!("../../sql/reviews/insert_many.sql"))
        .bind(transaction.project)
        .bind(all(reviewed, |review| review.review_id))
        .bind(reviewed.iter().map(|run| run.trace).collect::<Vec<_>>())
        .bind(all(reviewed, |review| review.result == ReviewResult::Pass))
        .bind(feedback.iter().map(Option::as_deref).collect::<Vec<Option<&str>>>())
        .bind(all(reviewed, |review| review.step().get()))
        .bind(all(reviewed, |review| review.mode.code()))
        .bind(all(reviewed, |review| review.reviewer.as_str()))
        .bind(all(reviewed, |review| review.authored.as_ref().map(Json)))
        .bind(all(reviewed, |review| review.action))
        .bind(all(reviewed, |review| review.grace.as_secs_f64()))
        .bind(all(reviewed, |review| review.trust.code()))
        .bind(all(reviewed, |review| review.reviewed_at))
        .execute(&mut **transaction)
        .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if violates(&error, "project_id_trace_id") => {
            Err(StoreError::Conflict { what: "the trace already has a review" })
        }
        Err(error) => Err(error.into()),
    }
}

/// The feedback of each review as it is stored.
fn sealed_feedback<'a>(
    sealer: &Sealer,
    reviewed: &[Reviewed<'a>],
) -> Result<Vec<Option<Cow<'a, str>>>, SealError> {
    let sealed = reviewed.iter().map(|run| {
        let place = SealedColumn::ReviewFeedback.of(run.review.review_id.as_uuid());
        run.review.feedback.as_deref().map(|text| sealer.seal_text(place, text)).transpose()
    });
    sealed.collect()
}
