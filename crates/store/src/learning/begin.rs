//! The beginning: verdicts, what they move, and the work they ask for, in one transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use reflect_types::{MemoryId, ReviewId, ReviewResult, TraceId};
use sqlx::types::Json;
use sqlx::{Postgres, Transaction};

use crate::error::{StoreError, violates};
use crate::learning::NewMemory;
use crate::project_ctx::ProjectCtx;
use crate::reviews::NewReview;

/// A run whose verdict is being stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reviewed<'a> {
    pub(crate) trace: TraceId,
    pub(crate) review: &'a NewReview,
    /// The memories that the run had.
    pub(crate) linked: &'a [MemoryId],
    /// The lesson, when it came along.
    pub(crate) lesson: Option<&'a NewMemory>,
}

impl ProjectCtx {
    /// Stores verdicts on runs that have none, moves utilities, and queues what is still to be learned.
    pub(crate) async fn begin_learning(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        reviewed: &[Reviewed<'_>],
    ) -> Result<(), StoreError> {
        if reviewed.is_empty() {
            return Ok(());
        }
        self.insert_reviews(transaction, reviewed).await?;
        self.enter_reviews(transaction, reviewed).await?;
        for run in reviewed {
            if let Some(lesson) = run.lesson {
                self.finish(transaction, run.trace, run.review.review_id, lesson).await?;
            }
        }
        let mut open: BTreeMap<Duration, Vec<ReviewId>> = BTreeMap::new();
        for run in reviewed.iter().filter(|run| run.lesson.is_none()) {
            open.entry(run.review.grace).or_default().push(run.review.review_id);
        }
        for (grace, reviews) in open {
            self.enqueue(transaction, &reviews, grace).await?;
        }
        Ok(())
    }

    async fn insert_reviews(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        reviewed: &[Reviewed<'_>],
    ) -> Result<(), StoreError> {
        fn all<'a, T>(runs: &[Reviewed<'a>], part: impl Fn(&'a NewReview) -> T) -> Vec<T> {
            runs.iter().map(|run| part(run.review)).collect()
        }
        let inserted = sqlx::query(include_str!("../../sql/reviews/insert_many.sql"))
            .bind(self.project)
            .bind(all(reviewed, |review| review.review_id))
            .bind(reviewed.iter().map(|run| run.trace).collect::<Vec<_>>())
            .bind(all(reviewed, |review| review.result == ReviewResult::Pass))
            .bind(all(reviewed, |review| review.feedback.as_deref()))
            .bind(all(reviewed, |review| review.step().get()))
            .bind(all(reviewed, |review| review.mode.code()))
            .bind(all(reviewed, |review| review.reviewer.as_str()))
            .bind(all(reviewed, |review| review.authored.as_ref().map(Json)))
            .bind(all(reviewed, |review| review.action))
            .bind(all(reviewed, |review| review.grace.as_secs_f64()))
            .bind(all(reviewed, |review| review.trust.code()))
            .execute(&mut **transaction)
            .await;
        match inserted {
            Ok(_) => Ok(()),
            Err(error) if violates(&error, "project_id_trace_id") => {
                Err(StoreError::Conflict { what: "the trace has a review already" })
            }
            Err(error) => Err(error.into()),
        }
    }
}
