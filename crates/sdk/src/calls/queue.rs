//! Calls of whoever reviews one run after the other: the queue, leases, deferral, and reviews with a grace.

use reflect_api::{
    ChangeLeases, DeferTrace, DeferredTrace, HeldLeases, NextReviews, QueuedTraces, ReviewQueue, ReviewTrace,
    Trace,
};
use reflect_types::TraceId;
use uuid::Uuid;

use crate::wire::Request;
use crate::{Error, ReflectClient};

impl ReflectClient {
    /// How the review queue stands.
    pub async fn review_queue(&self) -> Result<ReviewQueue, Error> {
        self.ask("review_queue", Request::get(self.path(&["review-queue"]))).await
    }

    /// The next traces to review, leased to this caller for a while.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::NextReviews;
    ///
    /// let next = client.next_reviews(&NextReviews { count: Some(1), ..Default::default() }).await?;
    /// for trace in next.items {
    ///     println!("{}", trace.digest.task);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next_reviews(&self, wish: &NextReviews) -> Result<QueuedTraces, Error> {
        self.ask("next_reviews", Request::post(self.path(&["review-queue", "next"]), wish)?).await
    }

    /// Prolongs leases, or gives them back.
    pub async fn change_leases(&self, wish: &ChangeLeases) -> Result<HeldLeases, Error> {
        self.ask("change_leases", Request::post(self.path(&["review-queue", "leases"]), wish)?).await
    }

    /// Puts a trace off: until then it is given to nobody.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::DeferTrace;
    ///
    /// client.defer_trace(id, &DeferTrace { seconds: Some(24 * 60 * 60), ..Default::default() }).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn defer_trace(&self, trace_id: TraceId, wish: &DeferTrace) -> Result<DeferredTrace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "defer"]);
        self.ask("defer_trace", Request::post(path, wish)?).await
    }

    /// Lets a trace that was put off wait again.
    pub async fn resume_trace(&self, trace_id: TraceId) -> Result<DeferredTrace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "defer"]);
        self.ask("resume_trace", Request::delete(path)).await
    }

    /// Sends a review with everything that can be said of it, such as a grace in which it can be taken back at no
    /// cost. [`review_trace`](Self::review_trace) is the short form.
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
    /// client.send_review(id, &review).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_review(&self, trace_id: TraceId, review: &ReviewTrace) -> Result<Trace, Error> {
        self.catch_up(Some(trace_id)).await;
        let path = self.path(&["traces", &trace_id.to_string(), "review"]);
        self.ask("send_review", Request::post(path, review)?.once(Uuid::now_v7())).await
    }
}
