//! A run that is going on.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use reflect_api::Memory;
use reflect_types::{RetrievalId, TraceId};
use serde_json::{Map, Value};

use super::Output;
use crate::{Augmented, Message};

/// A run that is going on: the task, its memories, and the messages noted so far. Clones are the same run.
///
/// [`Run`](crate::Run) is one that also sees to its end; [`traced`](crate::ReflectClient::traced) hands one to its
/// closure. See [`ReflectClient::run`](crate::ReflectClient::run) for an example.
#[derive(Clone)]
pub struct RunContext(Arc<Going>);

struct Going {
    trace_id: TraceId,
    given: Augmented,
    metadata: Map<String, Value>,
    said: Mutex<Said>,
}

/// What the run has said about itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(crate) messages: Vec<Message>,
    pub(crate) output: Option<Output>,
}

impl RunContext {
    pub(crate) fn new(given: Augmented, metadata: Map<String, Value>) -> Self {
        let said = Mutex::default();
        Self(Arc::new(Going { trace_id: TraceId::generate(), given, metadata, said }))
    }

    /// The id under which the run will be stored. The server has not heard of it yet.
    pub fn trace_id(&self) -> TraceId {
        self.0.trace_id
    }

    /// The task as it was given.
    pub fn task(&self) -> &str {
        &self.0.given.task
    }

    /// The task with relevant memories below it; the task alone when there are none.
    pub fn augmented_task(&self) -> &str {
        &self.0.given.augmented_task
    }

    /// The memories that were retrieved. They are sent with the trace, so that its review counts for them.
    pub fn memories(&self) -> &[Memory] {
        &self.0.given.memories
    }

    /// The receipt of the retrieval; None when there was none.
    pub fn retrieval_id(&self) -> Option<RetrievalId> {
        self.0.given.retrieval_id
    }

    /// Why memories are missing or were searched by their words only; None when all went well.
    pub fn degraded(&self) -> Option<&str> {
        self.0.given.degraded.as_deref()
    }

    /// Notes one message of the run.
    pub fn message(&self, message: Message) {
        self.with_said(|said| said.messages.push(message));
    }

    /// Notes one call of a tool and what it gave.
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
        let noted = [Message::tool_call(name, arguments), Message::tool_result(name, result)];
        self.with_said(|said| said.messages.extend(noted));
    }

    /// Says what came of the run. Said again, the last word holds.
    pub fn set_output(&self, output: Output) {
        self.with_said(|said| said.output = Some(output));
    }

    /// What was said, which is then said no more.
    pub(crate) fn take_said(&self) -> Said {
        self.with_said(std::mem::take)
    }

    pub(crate) fn given(&self) -> &Augmented {
        &self.0.given
    }

    pub(crate) fn metadata(&self) -> &Map<String, Value> {
        &self.0.metadata
    }

    fn with_said<T>(&self, change: impl FnOnce(&mut Said) -> T) -> T {
        change(&mut self.0.said.lock().unwrap_or_else(PoisonError::into_inner))
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
