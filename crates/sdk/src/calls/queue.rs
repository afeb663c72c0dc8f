//! Calls for reviewers who work through the queue: next traces, leases, deferral.

use reflect_api::{
    ChangeLeases, DeferTrace, DeferredTrace, HeldLeases, NextReviews, QueuedTraces, ReviewQueue,
};
use reflect_types::TraceId;
use uuid::Uuid;

use crate::connection::Connection;
use crate::error::Error;
use crate::wire::Request;

/// Calls about the review queue: `client.queue`.
#[derive(Debug, Clone)]
pub struct QueueCalls {
    pub(crate) connection: Connection,
}

impl QueueCalls {
    /// The state of the review queue.
    pub async fn get(&self) -> Result<ReviewQueue, Error> {
        self.connection.ask("queue.get", Request::get(self.connection.path(&["review-queue"]))).await
    }

    /// The next traces to review, leased to this caller.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::NextReviews;
    ///
    /// let next = client.queue.next(&NextReviews { count: Some(1), ..Default::default() }).await?;
    /// for trace in next.items {
    ///     println!("{}", trace.digest.task);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&self, request: &NextReviews) -> Result<QueuedTraces, Error> {
        self.connection
            .ask("queue.next", Request::post(self.connection.path(&["review-queue", "next"]), request)?)
            .await
    }

    /// Extends or releases leases.
    pub async fn change_leases(&self, request: &ChangeLeases) -> Result<HeldLeases, Error> {
        self.connection
            .ask(
                "queue.change_leases",
                Request::post(self.connection.path(&["review-queue", "leases"]), request)?,
            )
            .await
    }

    /// Defers a trace: the queue does not return it until then.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::DeferTrace;
    ///
    /// client.queue.defer(id, &DeferTrace { seconds: Some(24 * 60 * 60), ..Default::default() }).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn defer(&self, trace_id: TraceId, request: &DeferTrace) -> Result<DeferredTrace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "defer"]);
        self.connection.ask("queue.defer", Request::post(path, request)?).await
    }

    /// Defers a trace with an idempotency key of the caller.
    pub async fn defer_once(
        &self,
        trace_id: TraceId,
        request: &DeferTrace,
        key: Uuid,
    ) -> Result<DeferredTrace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "defer"]);
        self.connection.ask("queue.defer_once", Request::post(path, request)?.once(key)).await
    }

    /// Returns a deferred trace to the queue.
    pub async fn resume(&self, trace_id: TraceId) -> Result<DeferredTrace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "defer"]);
        self.connection.ask("queue.resume", Request::delete(path)).await
    }
}
