//! Calls about traces: storing runs and reading them.

use reflect_api::{BatchAnswer, BatchItem, CreateTrace, DeleteTraces, DeletedTraces, Trace, TraceSubmission};
use reflect_types::{ReviewStatus, TraceId};
use serde::Serialize;
use uuid::Uuid;

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, Listing, NewTrace, Page, ReflectClient};

/// The most that one call takes; longer lists are sent in parts.
const STORED_AT_ONCE: usize = 100;
const DELETED_AT_ONCE: usize = 1000;
/// Where [`ReflectClient::list_traces`] stops: more would hardly fit into memory.
const MOST_LISTED: usize = 10_000;

/// As the server reads it, without taking the traces over.
#[derive(Serialize)]
struct Batch<'a> {
    traces: Vec<&'a CreateTrace>,
}

impl ReflectClient {
    /// Stores a run and waits for the server's word that it did; not for what is learned from it.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{Message, NewTrace, Verdict};
    ///
    /// let augmented = client.augment_with_memories("Refund order 1182").await?;
    /// let trace = NewTrace::new("Refund order 1182", [Message::assistant("Refunded 24.00.")])
    ///     .retrieved_memory_ids(augmented.memory_ids())
    ///     .review(Verdict::pass());
    /// let submission = client.create_trace(trace).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_trace(&self, trace: NewTrace) -> Result<TraceSubmission, Error> {
        let request = Request::post(self.path(&["traces"]), trace.body())?.once(trace.trace_id());
        self.ask("create_trace", request).await
    }

    /// Stores a run as it is. Without a trace id in it, the key is what makes repeats safe.
    #[cfg(feature = "reflexion-loop")]
    pub(crate) async fn store_trace(
        &self,
        body: &CreateTrace,
        idempotency_key: Option<&str>,
    ) -> Result<TraceSubmission, Error> {
        let request = Request::post(self.path(&["traces"]), body)?;
        let request = idempotency_key.into_iter().fold(request, Request::once);
        self.ask("create_trace", request).await
    }

    /// Stores many runs, each answered for itself, in order.
    pub async fn create_traces(&self, traces: &[NewTrace]) -> Result<Vec<BatchItem>, Error> {
        let mut items = Vec::with_capacity(traces.len());
        for part in traces.chunks(STORED_AT_ONCE) {
            let batch = Batch { traces: part.iter().map(NewTrace::body).collect() };
            // The ids of the traces make it safe to repeat.
            let request = Request::post(self.path(&["traces", "batch"]), &batch)?;
            let answer: BatchAnswer = self.ask("create_traces", request).await?;
            items.extend(Self::counted("create_traces", answer.results, part.len())?);
        }
        Ok(items)
    }

    /// Hands a run over to be sent in the background, and gives its id at once. Nothing is waited for; what became of
    /// it shows in [`delivery`](Self::delivery) and [`flush`](Self::flush).
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// let id = client.submit(reflect_sdk::NewTrace::new("Refund order 1182", "Refunded 24.00."));
    /// client.flush(std::time::Duration::from_secs(10)).await;
    /// # }
    /// ```
    pub fn submit(&self, trace: NewTrace) -> TraceId {
        let id = trace.trace_id();
        self.settings().outbox.submit(&trace);
        id
    }

    /// One trace with its trajectory, its review and the memory that it became. A run of this client that is still on
    /// its way is sent first.
    pub async fn get_trace(&self, trace_id: TraceId) -> Result<Trace, Error> {
        self.catch_up(Some(trace_id)).await;
        self.ask("get_trace", Request::get(self.path(&["traces", &trace_id.to_string()]))).await
    }

    /// All traces, newest first, 10,000 at the most; a warning is logged when there are more. See
    /// [`iter_traces`](Self::iter_traces) for any number of them.
    pub async fn list_traces(&self, review_status: Option<ReviewStatus>) -> Result<Vec<Trace>, Error> {
        let (traces, more) = self.iter_traces(review_status).collect(MOST_LISTED).await?;
        if more {
            tracing::warn!(
                "there are more than {MOST_LISTED} traces; the rest was left out: use iter_traces"
            );
        }
        Ok(traces)
    }

    /// All traces, newest first, one after the other; see [`Listing`] for an example.
    pub fn iter_traces(&self, review_status: Option<ReviewStatus>) -> Listing<Trace> {
        let client = self.clone();
        Listing::new(move |cursor| {
            let client = client.clone();
            async move { client.page_of_traces(review_status, cursor.as_deref(), None).await }
        })
    }

    /// One page of traces, newest first, of `limit` entries at the most (100 when absent).
    pub async fn page_of_traces(
        &self,
        review_status: Option<ReviewStatus>,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<Trace>, Error> {
        if cursor.is_none() {
            self.catch_up(None).await;
        }
        let parameters = [
            ("review_status", review_status.map(|status| status.to_string())),
            ("cursor", cursor.map(str::to_owned)),
            ("limit", limit.map(|limit| limit.to_string())),
        ];
        self.page("list_traces", with_query(self.path(&["traces"]), &parameters)).await
    }

    /// Deletes traces with their reviews; the answer lists those that were there. Memories made from them stay.
    pub async fn delete_traces(&self, trace_ids: &[TraceId]) -> Result<DeletedTraces, Error> {
        self.catch_up(None).await;
        let mut gone = DeletedTraces { deleted: 0, trace_ids: Vec::new() };
        for part in trace_ids.chunks(DELETED_AT_ONCE) {
            let body = DeleteTraces { trace_ids: part.iter().map(TraceId::to_string).collect() };
            let request = Request::post(self.path(&["traces", "delete"]), &body)?.once(Uuid::now_v7());
            let deleted: DeletedTraces = self.ask("delete_traces", request).await?;
            gone.deleted += deleted.deleted;
            gone.trace_ids.extend(deleted.trace_ids);
        }
        Ok(gone)
    }

    /// Gives a trace whose review could not be learned from another chance, when the cause is mended.
    pub async fn retry_trace(&self, trace_id: TraceId) -> Result<Trace, Error> {
        let path = self.path(&["traces", &trace_id.to_string(), "retry"]);
        self.ask("retry_trace", Request::post(path, &serde_json::json!({}))?).await
    }
}
