//! A run to store.

use reflect_api::CreateTrace;
use reflect_types::{MemoryId, RetrievalId, RunKeyName, TraceId};
use serde_json::{Map, Value};

use crate::message::Trajectory;
use crate::verdict::ReviewVerdict;

/// A run to store. The client generates its id, so sending it twice stores it once.
///
/// ```
/// use reflect_sdk::{Message, NewTrace, ReviewVerdict};
///
/// let trace = NewTrace::new("Refund order 1182", [Message::assistant("240.00 is on its way.")])
///     .model("small")
///     .metadata("env", "prod")
///     .review(ReviewVerdict::fail("The order cost 24.00."));
/// println!("{}", trace.trace_id());
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct NewTrace {
    trace_id: TraceId,
    body: CreateTrace,
}

impl NewTrace {
    /// A run of a task: the task of the agent, and the messages or text that it produced.
    pub fn new(task: impl Into<String>, trajectory: impl Into<Trajectory>) -> Self {
        let trace_id = TraceId::generate();
        let body = CreateTrace {
            trace_id: Some(trace_id.as_uuid()),
            ..CreateTrace::new(task.into(), trajectory.into().raw())
        };
        Self { trace_id, body }
    }

    /// A run from a request body, for instance from a file. It gets an id if it has none.
    ///
    /// ```
    /// use reflect_sdk::{NewTrace, api::CreateTrace};
    ///
    /// let line = r#"{"task":"Refund order 1182","trajectory":"Refunded 24.00."}"#;
    /// let trace = NewTrace::from_body(serde_json::from_str::<CreateTrace>(line)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn from_body(mut body: CreateTrace) -> Self {
        let trace_id = body.trace_id.map_or_else(TraceId::generate, TraceId::from_uuid);
        body.trace_id = Some(trace_id.as_uuid());
        Self { trace_id, body }
    }

    /// The id of the trace.
    pub fn trace_id(&self) -> TraceId {
        self.trace_id
    }

    /// Replaces the id. It must be a UUID of version 7 from the last 30 days.
    pub fn with_trace_id(mut self, id: TraceId) -> Self {
        self.trace_id = id;
        self.body.trace_id = Some(id.as_uuid());
        self
    }

    /// The answer of the agent. Default: the last assistant message.
    pub fn final_response(mut self, text: impl Into<String>) -> Self {
        self.body.final_response = Some(text.into());
        self
    }

    /// The memories in the prompt of the run. The review changes their utilities.
    pub fn retrieved_memory_ids(mut self, ids: impl IntoIterator<Item = MemoryId>) -> Self {
        self.body.retrieved_memory_ids = Some(ids.into_iter().map(|id| id.to_string()).collect());
        self
    }

    /// The receipt of the retrieval, instead of the ids or in addition to them.
    pub fn retrieval_id(mut self, receipt: RetrievalId) -> Self {
        self.body.retrieval_id = Some(receipt);
        self
    }

    /// The memories that the agent used, if known. Only they get credit then.
    pub fn used_memory_ids(mut self, ids: impl IntoIterator<Item = MemoryId>) -> Self {
        self.body.used_memory_ids = Some(ids.into_iter().map(|id| id.to_string()).collect());
        self
    }

    /// The name of the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.body.model = Some(model.into());
        self
    }

    /// Adds one metadata entry.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.body.metadata.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// Fixed reference text for the review, such as a policy.
    pub fn reference_context(mut self, text: impl Into<String>) -> Self {
        self.body.reference_context = Some(text.into());
        self
    }

    /// Adds a key by which signals find the run later, such as its session or its commit.
    ///
    /// ```
    /// use reflect_sdk::{Message, NewTrace, types::RunKeyName};
    ///
    /// let trace = NewTrace::new("Fix the build", [Message::assistant("Done.")])
    ///     .key(RunKeyName::commit(), "4f2a9c1");
    /// ```
    pub fn key(mut self, name: RunKeyName, value: impl Into<String>) -> Self {
        self.body.keys.get_or_insert_default().insert(name, value.into());
        self
    }

    /// The verdict, if it is known already. Without it, the review is deferred.
    pub fn review(mut self, verdict: ReviewVerdict) -> Self {
        self.body.review = Some(verdict.inline());
        self
    }

    pub(crate) fn all_metadata(mut self, metadata: Map<String, Value>) -> Self {
        if !metadata.is_empty() {
            self.body.metadata = Some(metadata);
        }
        self
    }

    pub(crate) fn body(&self) -> &CreateTrace {
        &self.body
    }
}
