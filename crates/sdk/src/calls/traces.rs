//! Calls about traces: storing, reading, deleting and waiting for them.

use std::time::Duration;

use reflect_api::{
    BatchAnswer, BatchItem, CreateTrace, DeleteTraces, DeletedTraces, PartText, Trace, TraceLine, TraceSteps,
    TraceSubmission,
};
use reflect_types::{ReviewStatus, TraceId};
use serde::Serialize;
use uuid::Uuid;

use super::trace_filter::TraceFilter;
use super::waiting;
use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::new_trace::NewTrace;
use crate::paging::{Listing, Page};
use crate::wire::{Request, counted};

/// The maximum of one request. Longer lists are sent in several requests.
const MAX_BATCH: usize = 100;
const DELETED_AT_ONCE: usize = 1000;
/// The limit of [`TraceCalls::list`], because it keeps all traces in memory.
const MAX_LISTED: usize = 10_000;

/// The body of a batch, which borrows the traces.
#[derive(Serialize)]
struct Batch<'a> {
    traces: Vec<&'a CreateTrace>,
}

/// Calls about traces: `client.traces`.
#[derive(Debug, Clone)]
pub struct TraceCalls {
    pub(crate) connection: Connection,
}

impl TraceCalls {
    /// Stores a trace and waits until the server has stored it. It does not wait for learning.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{Message, NewTrace, ReviewVerdict};
    ///
    /// let augmented = client.memories.augment("Refund order 1182").await?;
    /// let trace = NewTrace::new("Refund order 1182", [Message::assistant("Refunded 24.00.")])
    ///     .retrieved_memory_ids(augmented.memory_ids())
    ///     .review(ReviewVerdict::pass());
    /// let submission = client.traces.create(trace).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(&self, trace: NewTrace) -> Result<TraceSubmission, Error> {
        let request = Request::post(self.connection.path(&["traces"]), trace.body())?.once(trace.trace_id());
        self.connection.ask("traces.create", request).await
    }

    /// Stores a trace from a body. Without a trace id, the idempotency key makes retries safe.
    #[cfg(feature = "reflexion-loop")]
    pub(crate) async fn store(
        &self,
        body: &CreateTrace,
        idempotency_key: Option<&str>,
    ) -> Result<TraceSubmission, Error> {
        let request = Request::post(self.connection.path(&["traces"]), body)?;
        let request = idempotency_key.into_iter().fold(request, Request::once);
        self.connection.ask("traces.create", request).await
    }

    /// Stores many traces. Returns one result for each, in order.
    pub async fn create_many(&self, traces: &[NewTrace]) -> Result<Vec<BatchItem>, Error> {
        let mut items = Vec::with_capacity(traces.len());
        for part in traces.chunks(MAX_BATCH) {
            let batch = Batch { traces: part.iter().map(NewTrace::body).collect() };
            // The trace ids make retries safe.
            let request = Request::post(self.connection.path(&["traces", "batch"]), &batch)?;
            let answer: BatchAnswer = self.connection.ask("traces.create_many", request).await?;
            items.extend(counted("traces.create_many", answer.results, part.len())?);
        }
        Ok(items)
    }

    /// One trace with its trajectory, its review and its memory. A run of this client that is still unsent is sent
    /// first.
    pub async fn get(&self, trace_id: TraceId) -> Result<Trace, Error> {
        self.connection.catch_up(Some(trace_id)).await;
        self.connection
            .ask("traces.get", Request::get(self.connection.path(&["traces", &trace_id.to_string()])))
            .await
    }

    /// All traces, newest first, at most 10,000. If there are more, a warning is logged; use [`iter`](Self::iter) to
    /// read all.
    pub async fn list(&self, review_status: Option<ReviewStatus>) -> Result<Vec<Trace>, Error> {
        let (traces, more) = self.iter(review_status).collect(MAX_LISTED).await?;
        if more {
            tracing::warn!("there are more than {MAX_LISTED} traces; the rest is omitted; use traces.iter");
        }
        Ok(traces)
    }

    /// All traces, newest first, as an iterator over pages. See [`Listing`] for an example.
    pub fn iter(&self, review_status: Option<ReviewStatus>) -> Listing<Trace> {
        let traces = self.clone();
        Listing::new(move |cursor| {
            let traces = traces.clone();
            async move { traces.page(review_status, cursor.as_deref(), None).await }
        })
    }

    /// One page of traces, newest first, with at most `limit` entries (default 100).
    pub async fn page(
        &self,
        review_status: Option<ReviewStatus>,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<Trace>, Error> {
        if cursor.is_none() {
            self.connection.catch_up(None).await;
        }
        let parameters = [
            ("review_status", review_status.map(|status| status.to_string())),
            ("cursor", cursor.map(str::to_owned)),
            ("limit", limit.map(|limit| limit.to_string())),
        ];
        self.connection.page("traces.list", with_query(self.connection.path(&["traces"]), &parameters)).await
    }

    /// Deletes traces with their reviews. The response lists the deleted traces. Their memories stay.
    pub async fn delete(&self, trace_ids: &[TraceId]) -> Result<DeletedTraces, Error> {
        self.connection.catch_up(None).await;
        let mut gone = DeletedTraces { deleted: 0, trace_ids: Vec::new() };
        for part in trace_ids.chunks(DELETED_AT_ONCE) {
            let body = DeleteTraces { trace_ids: part.iter().map(TraceId::to_string).collect() };
            let request =
                Request::post(self.connection.path(&["traces", "delete"]), &body)?.once(Uuid::now_v7());
            let deleted: DeletedTraces = self.connection.ask("traces.delete", request).await?;
            gone.deleted += deleted.deleted;
            gone.trace_ids.extend(deleted.trace_ids);
        }
        Ok(gone)
    }

    /// Retries learning from a review that failed, after the cause is fixed.
    pub async fn retry(&self, trace_id: TraceId) -> Result<Trace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "retry"]);
        self.connection.ask("traces.retry", Request::post(path, &serde_json::json!({}))?).await
    }

    /// Stores a trace and waits until its review has become a memory, or, without a review, until it is stored.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use std::time::Duration;
    /// use reflect_sdk::{NewTrace, ReviewVerdict};
    ///
    /// let trace = NewTrace::new("Translate the manual", "Das Handbuch").review(ReviewVerdict::pass());
    /// let learned = client.traces.create_and_wait(trace, Duration::from_secs(60)).await?;
    /// assert!(learned.created_memory_id.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_and_wait(&self, trace: NewTrace, timeout: Duration) -> Result<Trace, Error> {
        let (id, reviewed) = (trace.trace_id(), trace.body().review.is_some());
        self.create(trace).await?;
        self.wait_for(id, reviewed, timeout).await
    }

    /// Waits until the trace is stored or, with `require_reviewed`, until its review has become a memory.
    ///
    /// It uses long polling, so it needs few requests. It continues after a restart of the server. Errors are
    /// [`Error::IngestFailed`] if learning failed, and [`Error::WaitTimeout`] if `timeout` was too short.
    pub async fn wait_for(
        &self,
        trace_id: TraceId,
        require_reviewed: bool,
        timeout: Duration,
    ) -> Result<Trace, Error> {
        self.connection.catch_up(Some(trace_id)).await;
        waiting::wait_for_trace(&self.connection, trace_id, require_reviewed, timeout).await
    }

    /// One page of trace rows for a table, newest first, with at most `limit` entries (default 100). A page can be
    /// short or empty and still have a next page, because the server inspects a limited number of traces per request.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::TraceFilter;
    ///
    /// let filter = TraceFilter { has_error: Some(true), ..TraceFilter::default() };
    /// let page = client.traces.page_of_rows(&filter, None, Some(20)).await?;
    /// for row in page.items {
    ///     println!("{} {}", row.id, row.task);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page_of_rows(
        &self,
        filter: &TraceFilter,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<TraceLine>, Error> {
        if cursor.is_none() {
            self.connection.catch_up(None).await;
        }
        let mut parameters = filter.parameters();
        parameters.push(("cursor", cursor.map(str::to_owned)));
        parameters.push(("limit", limit.map(|limit| limit.to_string())));
        self.connection
            .page("traces.page_of_rows", with_query(self.connection.path(&["traces", "rows"]), &parameters))
            .await
    }

    /// All trace rows that match, as an iterator over pages.
    pub fn iter_rows(&self, filter: TraceFilter) -> Listing<TraceLine> {
        let traces = self.clone();
        Listing::new(move |cursor| {
            let (traces, filter) = (traces.clone(), filter.clone());
            async move { traces.page_of_rows(&filter, cursor.as_deref(), None).await }
        })
    }

    /// The steps of a trace, independent of its message format, from step `from` up to but not including `to` (default:
    /// 200 steps). The response has the index of the next step.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// for step in client.traces.steps(id, 0, None).await?.steps {
    ///     println!("{} {:?} {}", step.n, step.kind, step.title);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn steps(
        &self,
        trace_id: TraceId,
        from: usize,
        to: Option<usize>,
    ) -> Result<TraceSteps, Error> {
        let parameters = [("from", Some(from.to_string())), ("to", to.map(|to| to.to_string()))];
        let path = self.connection.path(&["traces", &trace_id.to_string(), "steps"]);
        self.connection.ask("traces.steps", Request::get(with_query(path, &parameters))).await
    }

    /// A byte range of one part of a trace, for parts that are longer than a step shows.
    pub async fn part(
        &self,
        trace_id: TraceId,
        part: usize,
        from: usize,
        to: Option<usize>,
    ) -> Result<PartText, Error> {
        let parameters = [("from", Some(from.to_string())), ("to", to.map(|to| to.to_string()))];
        let path = self.connection.path(&["traces", &trace_id.to_string(), "parts", &part.to_string()]);
        self.connection.ask("traces.part", Request::get(with_query(path, &parameters))).await
    }
}
