//! Calls about reviews: saying how runs went.

use reflect_api::{ErrorDetail, ReviewItem, ReviewTraces, ReviewsAnswer, Trace};
use reflect_types::TraceId;
use uuid::Uuid;

use crate::wire::Request;
use crate::{Error, ReflectClient, Verdict};

/// The most that one call takes; longer lists are sent in parts.
const REVIEWED_AT_ONCE: usize = 100;

/// What became of one review of many.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewOutcome {
    /// The trace it judges.
    pub trace_id: TraceId,
    /// Whether it was taken.
    pub item: ReviewItem,
}

impl ReviewOutcome {
    /// Why it was not taken; None when it was.
    pub fn error(&self) -> Option<&ErrorDetail> {
        match &self.item {
            ReviewItem::Refused { error } => Some(error),
            ReviewItem::Taken { .. } => None,
        }
    }
}

impl ReflectClient {
    /// Reviews a stored run and waits until the review has become a memory, up to 50 seconds. Then the trace comes
    /// back as it is; [`wait_for_trace`](Self::wait_for_trace) waits on. A run of this client that is still on its way
    /// is sent first.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::Verdict;
    ///
    /// let trace = client.review_trace(id, Verdict::fail("It fell in the third quarter.")).await?;
    /// println!("{:?}", trace.created_memory_id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn review_trace(&self, trace_id: TraceId, verdict: Verdict) -> Result<Trace, Error> {
        self.review("review_trace", trace_id, verdict, false).await
    }

    /// The same, in place of another review: what that one did is undone.
    pub async fn replace_review(&self, trace_id: TraceId, verdict: Verdict) -> Result<Trace, Error> {
        self.review("replace_review", trace_id, verdict, true).await
    }

    async fn review(
        &self,
        call: &'static str,
        trace_id: TraceId,
        verdict: Verdict,
        replace: bool,
    ) -> Result<Trace, Error> {
        self.catch_up(Some(trace_id)).await;
        let path = self.path(&["traces", &trace_id.to_string(), "review"]);
        self.ask(call, Request::post(path, &verdict.deferred(replace))?.once(Uuid::now_v7())).await
    }

    /// Reviews many runs and waits for none of their memories.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, good: Vec<reflect_sdk::types::TraceId>)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::Verdict;
    ///
    /// let outcomes = client.review_traces(good.into_iter().map(|id| (id, Verdict::pass()))).await?;
    /// let refused = outcomes.iter().filter_map(|outcome| outcome.error()).count();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn review_traces(
        &self,
        reviews: impl IntoIterator<Item = (TraceId, Verdict)>,
    ) -> Result<Vec<ReviewOutcome>, Error> {
        let reviews: Vec<(TraceId, Verdict)> = reviews.into_iter().collect();
        self.catch_up(None).await;
        let mut outcomes = Vec::with_capacity(reviews.len());
        for part in reviews.chunks(REVIEWED_AT_ONCE) {
            let body =
                ReviewTraces { reviews: part.iter().map(|(id, verdict)| verdict.clone().of(*id)).collect() };
            let request = Request::post(self.path(&["reviews", "batch"]), &body)?.once(Uuid::now_v7());
            let answer: ReviewsAnswer = self.ask("review_traces", request).await?;
            let results = Self::counted("review_traces", answer.results, part.len())?;
            let ids = part.iter().map(|(id, _)| *id);
            outcomes.extend(ids.zip(results).map(|(trace_id, item)| ReviewOutcome { trace_id, item }));
        }
        Ok(outcomes)
    }

    /// Takes a review back: utilities are computed without it, and the memory that it made is retired.
    pub async fn withdraw_review(&self, trace_id: TraceId) -> Result<Trace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "review"]);
        self.ask("withdraw_review", Request::delete(path).once(Uuid::now_v7())).await
    }
}
