//! A run that is to be stored.

use reflect_api::CreateTrace;
use reflect_types::{MemoryId, RetrievalId, TraceId};
use serde_json::{Map, Value};

use crate::{Trajectory, Verdict};

/// A run that is to be stored. Its id is made here, so that sending it twice stores it once.
///
/// ```
/// use reflect_sdk::{Message, NewTrace, Verdict};
///
/// let trace = NewTrace::new("Refund order 1182", [Message::assistant("240.00 is on its way.")])
///     .model("small")
///     .metadata("env", "prod")
///     .review(Verdict::fail("The order cost 24.00."));
/// println!("{}", trace.trace_id());
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct NewTrace {
    trace_id: TraceId,
    body: CreateTrace,
}

impl NewTrace {
    /// A run of a task: what the agent was asked to do, and the messages or text that came of it.
    pub fn new(task: impl Into<String>, trajectory: impl Into<Trajectory>) -> Self {
        let trace_id = TraceId::generate();
        let body = CreateTrace {
            trace_id: Some(trace_id.as_uuid()),
            task: task.into(),
            trajectory: trajectory.into().raw(),
            retrieved_memory_ids: None,
            retrieval_id: None,
            used_memory_ids: None,
            model: None,
            metadata: None,
            final_response: None,
            reference_context: None,
            review: None,
        };
        Self { trace_id, body }
    }

    /// A run as it goes over the wire, such as one that was read from a file. It is given an id if it has none.
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

    /// The id under which it will be stored.
    pub fn trace_id(&self) -> TraceId {
        self.trace_id
    }

    /// Another id: of version 7, from the last 30 days.
    pub fn with_trace_id(mut self, id: TraceId) -> Self {
        self.trace_id = id;
        self.body.trace_id = Some(id.as_uuid());
        self
    }

    /// The agent's answer; taken from the last assistant message when absent.
    pub fn final_response(mut self, text: impl Into<String>) -> Self {
        self.body.final_response = Some(text.into());
        self
    }

    /// The memories that the run was shown; their utilities move with the review.
    pub fn retrieved_memory_ids(mut self, ids: impl IntoIterator<Item = MemoryId>) -> Self {
        self.body.retrieved_memory_ids = Some(ids.into_iter().map(|id| id.to_string()).collect());
        self
    }

    /// The receipt of the retrieval, instead of the ids or beside them.
    pub fn retrieval_id(mut self, receipt: RetrievalId) -> Self {
        self.body.retrieval_id = Some(receipt);
        self
    }

    /// Which of the memories the agent acted on, when that is known; only they are credited then.
    pub fn used_memory_ids(mut self, ids: impl IntoIterator<Item = MemoryId>) -> Self {
        self.body.used_memory_ids = Some(ids.into_iter().map(|id| id.to_string()).collect());
        self
    }

    /// The model's name.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.body.model = Some(model.into());
        self
    }

    /// One entry of its metadata.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.body.metadata.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// Fixed text that the run was held against, such as a policy.
    pub fn reference_context(mut self, text: impl Into<String>) -> Self {
        self.body.reference_context = Some(text.into());
        self
    }

    /// The verdict, when it is known already; without one the review is deferred.
    pub fn review(mut self, verdict: Verdict) -> Self {
        self.body.review = Some(verdict.inline());
        self
    }

    pub(crate) fn all_metadata(mut self, metadata: Map<String, Value>) -> Self {
        if !metadata.is_empty() {
            self.body.metadata = Some(metadata);
        }
        self
    }

    pub(crate) fn is_reviewed(&self) -> bool {
        self.body.review.is_some()
    }

    #[cfg(feature = "reflexion-loop")]
    pub(crate) fn into_body(self) -> CreateTrace {
        self.body
    }

    pub(crate) fn body(&self) -> &CreateTrace {
        &self.body
    }
}
