//! One review for many runs, in chunks under one action.

use reflect_types::{CrashPoint, IngestStatus, MemoryId, ReviewId, TraceId};
use serde_json::Value;

use super::{NewReview, ReviewStore, Reviewed, insert, leave_queue};
use crate::actions;
use crate::audit::AuditActor;
use crate::error::StoreError;
use crate::ids::ActionId;

/// A run without a review, and how many bytes a model would have to read for it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnreviewedRun {
    /// The run.
    pub trace_id: TraceId,
    /// The memories that its review would move, including ids that do not exist.
    pub linked: Vec<MemoryId>,
    /// Its trajectory.
    pub trajectory: i64,
    /// Its task.
    pub task: i64,
    /// Its answer.
    pub answer: i64,
    /// The reference text.
    pub reference: i64,
}

/// The result of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkChunk {
    /// The action. `None` as long as there was nothing to do.
    pub action: Option<ActionId>,
    /// The runs that were reviewed. The others have a review by now, or were deleted.
    pub judged: Vec<TraceId>,
}

impl ReviewStore<'_> {
    /// Which of these runs have no review.
    pub async fn unreviewed(&self, traces: &[TraceId]) -> Result<Vec<UnreviewedRun>, StoreError> {
        let mut transaction = self.db.read().await?;
        let open = sqlx::query_as(include_str!("../../sql/reviews/sizes.sql"));
        let open = open.bind(self.db.project).bind(traces).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(open)
    }

    /// Reviews the runs of a chunk that have no review. The first chunk with any such run creates the action; later
    /// ones refer to it.
    pub async fn create_many(
        &self,
        traces: &[TraceId],
        review: &NewReview,
        action: Option<ActionId>,
        summary: &Value,
        actor: &AuditActor,
    ) -> Result<BulkChunk, StoreError> {
        let mut transaction = self.db.write().await?;
        let open: Vec<(TraceId, Vec<MemoryId>)> = sqlx::query_as(include_str!("../../sql/reviews/open.sql"))
            .bind(self.db.project)
            .bind(traces)
            .fetch_all(&mut *transaction)
            .await?;
        if open.is_empty() {
            return Ok(BulkChunk { action, judged: Vec::new() });
        }
        let action = match action {
            Some(action) => action,
            None => actions::begin(&mut transaction, actor, "review.bulk", summary).await?,
        };
        let reviews: Vec<NewReview> = open
            .iter()
            .map(|_| NewReview { review_id: ReviewId::generate(), action: Some(action), ..review.clone() })
            .collect();
        let judged: Vec<TraceId> = open.iter().map(|(trace, _)| *trace).collect();
        sqlx::query(include_str!("../../sql/reviews/restate_many.sql"))
            .bind(self.db.project)
            .bind(&judged)
            .bind(reviews.iter().map(|review| review.review_id).collect::<Vec<_>>())
            .bind(IngestStatus::Queued.code())
            .execute(&mut *transaction)
            .await?;
        let reviewed: Vec<Reviewed<'_>> = open
            .iter()
            .zip(&reviews)
            .map(|((trace, linked), review)| Reviewed { trace: *trace, review, linked, lesson: None })
            .collect();
        insert(&mut transaction, &reviewed).await?;
        leave_queue(&mut transaction, &judged).await?;
        transaction.commit_at(CrashPoint::BulkReviewCommit).await?;
        Ok(BulkChunk { action: Some(action), judged })
    }

    /// Live reviews of an action, at most `most`, without those in `but`.
    pub async fn by_action(
        &self,
        action: ActionId,
        most: i64,
        but: &[ReviewId],
    ) -> Result<Vec<(TraceId, ReviewId)>, StoreError> {
        let mut transaction = self.db.read().await?;
        let live = sqlx::query_as(include_str!("../../sql/reviews/of_action.sql"));
        let live = live.bind(self.db.project).bind(action).bind(most).bind(but);
        let live = live.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(live)
    }
}
