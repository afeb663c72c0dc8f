//! The beginning of a run: how it is described, and its memories.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Run, RunContext};
use crate::client::Settings;
use crate::{MemoryQuery, ReflectClient};

/// A run that is about to begin; [`ReflectClient::run`] makes one.
#[derive(Debug)]
#[must_use = "a run begins with `start`"]
pub struct RunBuilder {
    client: ReflectClient,
    query: MemoryQuery,
    metadata: Map<String, Value>,
    deadline: Option<Duration>,
}

impl RunBuilder {
    pub(crate) fn new(client: ReflectClient, query: MemoryQuery) -> Self {
        Self { client, query, metadata: Map::new(), deadline: None }
    }

    /// One entry of the trace's metadata. The name `reflect` is the client's own.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// After how long the run goes on without memories, if not after the client's `retrieval_timeout`.
    pub fn retrieval_timeout(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Retrieves memories and begins. It never fails: without memories in time the run goes on with
    /// [`degraded`](RunContext::degraded) set, and its trace says so in its metadata (`reflect.degraded`).
    pub async fn start(self) -> Run {
        let asking = match self.deadline {
            Some(retrieval_timeout) => {
                ReflectClient::new(Settings { retrieval_timeout, ..Settings::clone(self.client.settings()) })
            }
            None => self.client.clone(),
        };
        let given = asking.recall_or_not(self.query).await;
        Run::new(self.client, RunContext::new(given, self.metadata))
    }
}
