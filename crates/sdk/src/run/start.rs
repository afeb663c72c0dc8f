//! The start of a run: its metadata and the retrieval of memories.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Run, RunContext};
use crate::calls::MemoryCalls;
use crate::connection::Connection;
use crate::memory_query::MemoryQuery;

/// A run that has not started, from [`ReflectClient::run`](crate::ReflectClient::run).
#[derive(Debug)]
#[must_use = "a run starts with `start`"]
pub struct RunBuilder {
    connection: Connection,
    query: MemoryQuery,
    metadata: Map<String, Value>,
    deadline: Option<Duration>,
}

impl RunBuilder {
    pub(crate) fn new(connection: Connection, query: MemoryQuery) -> Self {
        Self { connection, query, metadata: Map::new(), deadline: None }
    }

    /// Adds one metadata entry to the trace. The key `reflect` is reserved for the client.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// After this time the run continues without memories. Default: the `retrieval_timeout` of the client.
    pub fn retrieval_timeout(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Retrieves memories and starts the run. It never fails: without memories in time, the run continues,
    /// [`degraded`](RunContext::degraded) is set, and the metadata of the trace has the reason (`reflect.degraded`).
    pub async fn start(self) -> Run {
        let memories = MemoryCalls { connection: self.connection.clone() };
        let given = memories.augment_or_task(self.query, self.deadline).await;
        Run::new(self.connection, RunContext::new(given, self.metadata))
    }
}
