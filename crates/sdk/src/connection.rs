//! The connection that all groups of calls share: transport, project, retry policy and the queue of unsent runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reflect_types::{ProjectSlug, TraceId};
use serde::de::DeserializeOwned;

use crate::address::project_path;
use crate::delivery::Outbox;
use crate::error::Error;
use crate::paging::Page;
use crate::recall::Recall;
use crate::wire::{Answer, CallPolicy, Exchange, Request, Transport};

/// How long a read waits until the unsent runs of this process have arrived.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(10);

/// Cheap to clone; clones share sockets and the queue of unsent runs.
#[derive(Clone)]
pub(crate) struct Connection {
    settings: Arc<ConnectionSettings>,
}

#[derive(Clone)]
pub(crate) struct ConnectionSettings {
    pub(crate) transport: Arc<Transport>,
    pub(crate) project: ProjectSlug,
    pub(crate) policy: CallPolicy,
    pub(crate) retrieval_timeout: Duration,
    pub(crate) memory_tokens: Option<usize>,
    pub(crate) recall: Arc<Recall>,
    pub(crate) outbox: Arc<Outbox>,
}

impl Connection {
    pub(crate) fn new(settings: ConnectionSettings) -> Self {
        Self { settings: Arc::new(settings) }
    }

    pub(crate) fn with_timeout(&self, timeout: Duration) -> Self {
        let policy = CallPolicy { timeout, ..self.settings.policy };
        Self::new(ConnectionSettings { policy, ..ConnectionSettings::clone(&self.settings) })
    }

    pub(crate) fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    /// A path below the project's path.
    pub(crate) fn path(&self, segments: &[&str]) -> String {
        project_path(self.settings.project.as_str(), segments)
    }

    /// Sends a request and parses the JSON of the response.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        call: &'static str,
        request: Request,
    ) -> Result<T, Error> {
        self.answer(call, request).await?.json(call)
    }

    /// Sends a request and returns the whole response with its headers.
    pub(crate) async fn answer(&self, call: &'static str, request: Request) -> Result<Answer, Error> {
        self.answer_within(call, request, self.settings.policy).await
    }

    pub(crate) async fn answer_within(
        &self,
        call: &'static str,
        request: Request,
        policy: CallPolicy,
    ) -> Result<Answer, Error> {
        self.exchange(call, policy, None).run(&request).await
    }

    pub(crate) fn exchange(
        &self,
        call: &'static str,
        policy: CallPolicy,
        accepts: Option<u16>,
    ) -> Exchange<'_> {
        Exchange { transport: &self.settings.transport, policy, call, accepts }
    }

    /// Reads one page of a list.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: String,
    ) -> Result<Page<T>, Error> {
        let answer = self.answer(call, Request::get(path)).await?;
        let next_cursor = answer.header("x-next-cursor").map(str::to_owned);
        Ok(Page { items: answer.json(call)?, next_cursor })
    }

    /// Sends the unsent runs, or only the given one, so that a read sees what this process wrote before.
    pub(crate) async fn catch_up(&self, trace_id: Option<TraceId>) {
        let settings = self.settings();
        if settings.outbox.has_unsent(trace_id) {
            settings.outbox.drain(CATCH_UP_TIMEOUT.min(settings.policy.timeout)).await;
        }
    }
}

/// Never prints the API key.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("base_url", &self.settings.transport.base_url())
            .field("project_id", &self.settings.project.as_str())
            .finish_non_exhaustive()
    }
}
