//! Calls about reviews.

use reflect_api::{ErrorDetail, ReviewItem, ReviewTrace, ReviewTraces, ReviewsAnswer, Trace};
use reflect_types::{ReviewId, TraceId};
use uuid::Uuid;

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::verdict::ReviewVerdict;
use crate::wire::{Request, counted};

/// The maximum of one request. Longer lists are sent in several requests.
const MAX_BATCH: usize = 100;

/// The result of one review of a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewOutcome {
    /// The reviewed trace.
    pub trace_id: TraceId,
    /// The response of the server for this review.
    pub item: ReviewItem,
}

impl ReviewOutcome {
    /// Why the server rejected the review. `None` if it accepted it.
    pub fn error(&self) -> Option<&ErrorDetail> {
        match &self.item {
            ReviewItem::Refused { error } => Some(error),
            ReviewItem::Taken { .. } => None,
        }
    }
}

/// Calls about reviews: `client.reviews`.
#[derive(Debug, Clone)]
pub struct ReviewCalls {
    pub(crate) connection: Connection,
}

impl ReviewCalls {
    /// Reviews a stored trace and waits at most 50 seconds until the review has become a memory. Then it returns the
    /// trace in its current state; [`traces.wait_for`](crate::TraceCalls::wait_for) waits longer. A run of this client
    /// that is still unsent is sent first.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::ReviewVerdict;
    ///
    /// let trace = client.reviews.create(id, ReviewVerdict::fail("It fell in the third quarter.")).await?;
    /// println!("{:?}", trace.created_memory_id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(&self, trace_id: TraceId, verdict: ReviewVerdict) -> Result<Trace, Error> {
        self.review("reviews.create", trace_id, verdict, false).await
    }

    /// Replaces the review of a trace. The effects of the earlier review are undone.
    pub async fn replace(&self, trace_id: TraceId, verdict: ReviewVerdict) -> Result<Trace, Error> {
        self.review("reviews.replace", trace_id, verdict, true).await
    }

    async fn review(
        &self,
        call: &'static str,
        trace_id: TraceId,
        verdict: ReviewVerdict,
        replace: bool,
    ) -> Result<Trace, Error> {
        self.connection.catch_up(Some(trace_id)).await;
        let path = self.connection.path(&["traces", &trace_id.to_string(), "review"]);
        self.connection.ask(call, Request::post(path, &verdict.deferred(replace))?.once(Uuid::now_v7())).await
    }

    /// Reviews many traces. It does not wait for their memories.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, good: Vec<reflect_sdk::types::TraceId>)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::ReviewVerdict;
    ///
    /// let outcomes = client.reviews.create_many(good.into_iter().map(|id| (id, ReviewVerdict::pass()))).await?;
    /// let refused = outcomes.iter().filter_map(|outcome| outcome.error()).count();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_many(
        &self,
        reviews: impl IntoIterator<Item = (TraceId, ReviewVerdict)>,
    ) -> Result<Vec<ReviewOutcome>, Error> {
        let reviews: Vec<(TraceId, ReviewVerdict)> = reviews.into_iter().collect();
        self.connection.catch_up(None).await;
        let mut outcomes = Vec::with_capacity(reviews.len());
        for part in reviews.chunks(MAX_BATCH) {
            let body =
                ReviewTraces { reviews: part.iter().map(|(id, verdict)| verdict.clone().of(*id)).collect() };
            let request =
                Request::post(self.connection.path(&["reviews", "batch"]), &body)?.once(Uuid::now_v7());
            let answer: ReviewsAnswer = self.connection.ask("reviews.create_many", request).await?;
            let results = counted("reviews.create_many", answer.results, part.len())?;
            let ids = part.iter().map(|(id, _)| *id);
            outcomes.extend(ids.zip(results).map(|(trace_id, item)| ReviewOutcome { trace_id, item }));
        }
        Ok(outcomes)
    }

    /// Withdraws a review. Utilities are computed without it, and its memory is retired.
    pub async fn withdraw(&self, trace_id: TraceId) -> Result<Trace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "review"]);
        self.connection.ask("reviews.withdraw", Request::delete(path).once(Uuid::now_v7())).await
    }

    /// Sends a review with all fields, such as a grace period in which it can be withdrawn without effect.
    /// [`create`](Self::create) is the short form.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{api::ReviewTrace, types::ReviewResult};
    ///
    /// let review = ReviewTrace {
    ///     result: ReviewResult::Pass,
    ///     feedback_text: None,
    ///     alpha: None,
    ///     reflection: None,
    ///     replace: false,
    ///     grace_seconds: Some(15),
    ///     reviewer: Some("ada".into()),
    /// };
    /// client.reviews.send(id, &review).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send(&self, trace_id: TraceId, review: &ReviewTrace) -> Result<Trace, Error> {
        self.connection.catch_up(Some(trace_id)).await;
        let path = self.connection.path(&["traces", &trace_id.to_string(), "review"]);
        self.connection.ask("reviews.send", Request::post(path, review)?.once(Uuid::now_v7())).await
    }

    /// Sends a review with an idempotency key of the caller.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId, kept: uuid::Uuid)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let review = serde_json::from_str(r#"{"result": "pass", "grace_seconds": 15}"#)?;
    /// client.reviews.send_once(id, &review, kept).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_once(
        &self,
        trace_id: TraceId,
        review: &ReviewTrace,
        key: Uuid,
    ) -> Result<Trace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "review"]);
        self.connection.ask("reviews.send_once", Request::post(path, review)?.once(key)).await
    }

    /// Withdraws a review with an idempotency key of the caller. With a known review id, a newer review of the trace is
    /// not withdrawn.
    pub async fn withdraw_once(
        &self,
        trace_id: TraceId,
        review: Option<ReviewId>,
        key: Uuid,
    ) -> Result<Trace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "review"]);
        let path = with_query(path, &[("review_id", review.map(|review| review.to_string()))]);
        self.connection.ask("reviews.withdraw_once", Request::delete(path).once(key)).await
    }
}
