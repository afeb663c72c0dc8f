//! One verdict for many runs, given in chunks under one action.

use reflect_types::{IngestStatus, MemoryId, ReviewId, TraceId};
use serde_json::Value;

use crate::actions::ActionId;
use crate::audit::Actor;
use crate::error::StoreError;
use crate::learning::Reviewed;
use crate::project_ctx::ProjectCtx;
use crate::reviews::NewReview;

/// A run without a verdict, and how much a model would have to read about it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnreviewedRun {
    /// The run.
    pub trace_id: TraceId,
    /// The memories that its verdict would move, those included that do not exist.
    pub linked: Vec<MemoryId>,
    /// Its trajectory.
    pub trajectory: i64,
    /// Its task.
    pub task: i64,
    /// Its answer.
    pub answer: i64,
    /// The text that it was held against.
    pub reference: i64,
}

/// What became of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkChunk {
    /// The action; none as long as there was nothing to do.
    pub action: Option<ActionId>,
    /// The runs that were judged. The others have got a verdict meanwhile, or are gone.
    pub judged: Vec<TraceId>,
}

impl ProjectCtx {
    /// Which of these runs have no verdict.
    pub async fn unreviewed_runs(&self, traces: &[TraceId]) -> Result<Vec<UnreviewedRun>, StoreError> {
        let mut transaction = self.read().await?;
        let open = sqlx::query_as(include_str!("../sql/reviews/sizes.sql"));
        let open = open.bind(self.project).bind(traces).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(open)
    }

    /// Gives the runs of a chunk that have no verdict this one. The first chunk with anything to do begins the
    /// action, in the same transaction; later ones name it.
    pub async fn review_chunk(
        &self,
        traces: &[TraceId],
        review: &NewReview,
        action: Option<ActionId>,
        summary: &Value,
        actor: &Actor,
    ) -> Result<BulkChunk, StoreError> {
        let mut transaction = self.write().await?;
        let open: Vec<(TraceId, Vec<MemoryId>)> = sqlx::query_as(include_str!("../sql/reviews/open.sql"))
            .bind(self.project)
            .bind(traces)
            .fetch_all(&mut *transaction)
            .await?;
        if open.is_empty() {
            return Ok(BulkChunk { action, judged: Vec::new() });
        }
        let action = match action {
            Some(action) => action,
            None => self.begin_action(&mut transaction, actor, "review.bulk", summary).await?,
        };
        let reviews: Vec<NewReview> = open
            .iter()
            .map(|_| NewReview { review_id: ReviewId::generate(), action: Some(action), ..review.clone() })
            .collect();
        let judged: Vec<TraceId> = open.iter().map(|(trace, _)| *trace).collect();
        sqlx::query(include_str!("../sql/reviews/restate_many.sql"))
            .bind(self.project)
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
        self.begin_learning(&mut transaction, &reviewed).await?;
        self.leave_queue(&mut transaction, &judged).await?;
        self.commit(transaction).await?;
        Ok(BulkChunk { action: Some(action), judged })
    }

    /// Live verdicts that an action gave, at most `most` of them and none of those in `but`.
    pub async fn live_reviews_of(
        &self,
        action: ActionId,
        most: i64,
        but: &[ReviewId],
    ) -> Result<Vec<(TraceId, ReviewId)>, StoreError> {
        let mut transaction = self.read().await?;
        let live = sqlx::query_as(include_str!("../sql/reviews/of_action.sql"));
        let live = live.bind(self.project).bind(action).bind(most).bind(but);
        let live = live.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(live)
    }
}
