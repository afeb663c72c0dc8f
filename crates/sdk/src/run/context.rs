//! A run in progress.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use reflect_api::Memory;
use reflect_types::{RetrievalId, TraceId};
use serde_json::{Map, Value};

use super::Output;
use crate::calls::Augmented;
use crate::message::Message;

/// A run in progress: the task, its memories, and the messages so far. Clones share one run.
///
/// [`Run`](crate::Run) adds the end of the run. [`traced`](crate::ReflectClient::traced) passes a context to its
/// closure. See [`ReflectClient::run`](crate::ReflectClient::run) for an example.
#[derive(Clone)]
pub struct RunContext(Arc<RunInner>);

struct RunInner {
    trace_id: TraceId,
    given: Augmented,
    metadata: Map<String, Value>,
    notes: Mutex<RunNotes>,
}

/// What the application reported about the run.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunNotes {
    pub(crate) messages: Vec<Message>,
    pub(crate) output: Option<Output>,
}

impl RunContext {
    pub(crate) fn new(given: Augmented, metadata: Map<String, Value>) -> Self {
        let notes = Mutex::default();
        Self(Arc::new(RunInner { trace_id: TraceId::generate(), given, metadata, notes }))
    }

    /// The id of the trace. The server does not know it before the run ends.
    pub fn trace_id(&self) -> TraceId {
        self.0.trace_id
    }

    /// The task without memories.
    pub fn task(&self) -> &str {
        &self.0.given.task
    }

    /// The task followed by relevant memories, or only the task if there are none.
    pub fn augmented_task(&self) -> &str {
        &self.0.given.augmented_task
    }

    /// The memories as text without the task, for a system prompt. Empty if there are none.
    pub fn memory_block(&self) -> &str {
        &self.0.given.memory_block
    }

    /// The retrieved memories. The trace lists them, so its review gives credit to them.
    pub fn memories(&self) -> &[Memory] {
        &self.0.given.memories
    }

    /// The receipt of the retrieval, if there was one.
    pub fn retrieval_id(&self) -> Option<RetrievalId> {
        self.0.given.retrieval_id
    }

    /// Why memories are missing, or were found by words only. `None` if retrieval worked fully.
    pub fn degraded(&self) -> Option<&str> {
        self.0.given.degraded.as_deref()
    }

    /// Adds a message to the run.
    pub fn message(&self, message: Message) {
        self.0.with_notes(|notes| notes.messages.push(message));
    }

    /// Adds a tool call and its result to the run.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// use serde_json::json;
    ///
    /// let run = client.run("Cancel order 1177").start().await;
    /// run.tool("find_order", json!({ "id": 1177 }), json!({ "status": "shipped" }));
    /// # run.finish(Default::default());
    /// # }
    /// ```
    pub fn tool(&self, name: &str, arguments: impl Into<Value>, result: impl Into<Value>) {
        let messages = [Message::tool_call(name, arguments), Message::tool_result(name, result)];
        self.0.with_notes(|notes| notes.messages.extend(messages));
    }

    /// Adds a step: the state that the agent was in, as it was sent to the query for memories, and what it did. If the run
    /// passes, each marked step becomes a memory of its own. An empty action marks the last state of a failed run.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let run = client.run("The phone has no signal").start().await;
    /// let state = "The phone has no signal, and its plan is active.";
    /// let found = client.memories.query(state).await?;
    /// run.mark_step(state, "restart the phone", found.retrieval_id);
    /// # run.finish(Default::default());
    /// # Ok(())
    /// # }
    /// ```
    pub fn mark_step(&self, task: &str, action: &str, retrieval_id: Option<RetrievalId>) {
        self.message(Message::step(task, action, retrieval_id));
    }

    /// Sets the output of the run. A later call replaces it.
    pub fn set_output(&self, output: Output) {
        self.0.with_notes(|notes| notes.output = Some(output));
    }

    /// Takes the messages and the output, and leaves none.
    pub(crate) fn take_notes(&self) -> RunNotes {
        self.0.with_notes(std::mem::take)
    }

    pub(crate) fn given(&self) -> &Augmented {
        &self.0.given
    }

    pub(crate) fn metadata(&self) -> &Map<String, Value> {
        &self.0.metadata
    }
}

impl RunInner {
    fn with_notes<T>(&self, change: impl FnOnce(&mut RunNotes) -> T) -> T {
        change(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for RunContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunContext")
            .field("trace_id", &self.trace_id())
            .field("memories", &self.memories().len())
            .field("degraded", &self.degraded())
            .finish_non_exhaustive()
    }
}
