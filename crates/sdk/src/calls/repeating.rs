//! Calls of whoever writes down what they say before they send it: each carries a key of the caller's own, so that it
//! may be sent again by another process.

use reflect_api::{DeferTrace, DeferredTrace, ReviewTrace, Trace};
use reflect_types::{ReviewId, TraceId};
use uuid::Uuid;

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, ReflectClient};

impl ReflectClient {
    /// Sends a review under a key of the caller's own.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId, kept: uuid::Uuid)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let review = serde_json::from_str(r#"{"result": "pass", "grace_seconds": 15}"#)?;
    /// client.send_review_once(id, &review, kept).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_review_once(
        &self,
        trace_id: TraceId,
        review: &ReviewTrace,
        key: Uuid,
    ) -> Result<Trace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "review"]);
        self.ask("send_review_once", Request::post(path, review)?.once(key)).await
    }

    /// Takes a review back under a key of the caller's own: only this one, where it is known, and not one that took its
    /// place.
    pub async fn withdraw_review_once(
        &self,
        trace_id: TraceId,
        review: Option<ReviewId>,
        key: Uuid,
    ) -> Result<Trace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "review"]);
        let path = with_query(path, &[("review_id", review.map(|review| review.to_string()))]);
        self.ask("withdraw_review_once", Request::delete(path).once(key)).await
    }

    /// Puts a trace off under a key of the caller's own.
    pub async fn defer_trace_once(
        &self,
        trace_id: TraceId,
        wish: &DeferTrace,
        key: Uuid,
    ) -> Result<DeferredTrace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "defer"]);
        self.ask("defer_trace_once", Request::post(path, wish)?.once(key)).await
    }
}
