//! The client: groups of calls as fields, and runs.

mod builder;

use std::fmt::{self, Display};
use std::time::Duration;

use reflect_api::{Bootstrap, Bootstrapped};
use reflect_types::TraceId;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::address::checked_base_url;
use crate::calls::{
    ActionCalls, CurationCalls, KeyCalls, LessonCalls, MemoryCalls, ProjectCalls, QueueCalls, ReviewCalls,
    ServerCalls, SignalCalls, SkillCalls, TraceCalls, WebhookCalls,
};
use crate::connection::Connection;
use crate::delivery::{DeliveryCounters, FlushReport};
use crate::error::Error;
use crate::memory_query::MemoryQuery;
use crate::new_trace::NewTrace;
use crate::run::{Ending, RunBuilder, RunContext};
use crate::wire::{CallPolicy, Exchange, Request, Transport};

pub use builder::ReflectClientBuilder;

/// A client of one project. Calls are grouped by what they are about: `client.traces.create(…)`,
/// `client.reviews.create(…)`. Clones are cheap and share connections and the queue of unsent runs.
///
/// ```
/// use reflect_sdk::ReflectClient;
///
/// let client = ReflectClient::builder().api_key("rf_test_1").project_id("support").build()?;
/// assert_eq!(client.project_id(), "support");
/// # Ok::<(), reflect_sdk::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ReflectClient {
    /// Storing, reading, deleting and waiting for traces.
    pub traces: TraceCalls,
    /// Reviewing traces.
    pub reviews: ReviewCalls,
    /// The review queue.
    pub queue: QueueCalls,
    /// Querying and reading memories.
    pub memories: MemoryCalls,
    /// Changing stored memories.
    pub curation: CurationCalls,
    /// Lessons, their grouping, and questions about contradictions.
    pub lessons: LessonCalls,
    /// Recorded actions and their undo.
    pub actions: ActionCalls,
    /// Signals: outcomes that other systems report, and feedback tokens.
    pub signals: SignalCalls,
    /// The skill of the project.
    pub skills: SkillCalls,
    /// API keys.
    pub keys: KeyCalls,
    /// Webhooks and their deliveries.
    pub webhooks: WebhookCalls,
    /// Settings and state of the project.
    pub project: ProjectCalls,
    /// The server itself.
    pub server: ServerCalls,
    connection: Connection,
}

/// A response as the server sent it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RawAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// The cursor of the next page, if the response is a page and there is a next one.
    pub next_cursor: Option<String>,
}

impl ReflectClient {
    /// Configures a client.
    pub fn builder() -> ReflectClientBuilder {
        ReflectClientBuilder::default()
    }

    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            traces: TraceCalls { connection: connection.clone() },
            reviews: ReviewCalls { connection: connection.clone() },
            queue: QueueCalls { connection: connection.clone() },
            memories: MemoryCalls { connection: connection.clone() },
            curation: CurationCalls { connection: connection.clone() },
            lessons: LessonCalls { connection: connection.clone() },
            actions: ActionCalls { connection: connection.clone() },
            signals: SignalCalls { connection: connection.clone() },
            skills: SkillCalls { connection: connection.clone() },
            keys: KeyCalls { connection: connection.clone() },
            webhooks: WebhookCalls { connection: connection.clone() },
            project: ProjectCalls { connection: connection.clone() },
            server: ServerCalls { connection: connection.clone() },
            connection,
        }
    }

    /// The same client with another time limit for each call, such as a longer one to write a skill.
    ///
    /// ```
    /// use std::time::Duration;
    /// # let client = reflect_sdk::ReflectClient::builder().api_key("rf_test_1").build()?;
    /// let slow_calls = client.with_timeout(Duration::from_secs(120));
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self::new(self.connection.with_timeout(timeout))
    }

    /// The base URL of the server.
    pub fn base_url(&self) -> &str {
        self.connection.settings().transport.base_url()
    }

    /// The project that all calls are about.
    pub fn project_id(&self) -> &str {
        self.connection.settings().project.as_str()
    }

    #[cfg(feature = "reflexion-loop")]
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Creates the first project of a new server and its master key. It works only once and is not retried.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use reflect_sdk::{ReflectClient, api::Bootstrap};
    ///
    /// let request = Bootstrap {
    ///     user_id: "ada".into(),
    ///     project_id: "support".parse()?,
    ///     key_label: None,
    ///     environment: None,
    /// };
    /// let made = ReflectClient::bootstrap("http://localhost:8000", "the server's token", request).await?;
    /// let client = ReflectClient::builder().api_key(made.api_key).project_id("support").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bootstrap(
        base_url: &str,
        token: impl Into<SecretString>,
        request: Bootstrap,
    ) -> Result<Bootstrapped, Error> {
        let transport = Transport::new(checked_base_url(base_url)?, None, None)?;
        let policy = CallPolicy { timeout: Duration::from_secs(60), max_retries: 2 };
        let mut request = Request::new(Method::POST, "/v1/bootstrap".to_owned()).with_body(&request)?;
        request.headers.push(("x-bootstrap-token", token.into().expose_secret().to_owned()));
        request.repeatable = false;
        let exchange = Exchange { transport: &transport, policy, call: "bootstrap", accepts: None };
        exchange.run(&request).await?.json("bootstrap")
    }

    /// A run of a task: [`start`](RunBuilder::start) retrieves memories, [`finish`](crate::Run::finish) sends the trace.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// use reflect_sdk::{MemoryQuery, Message, Output, ReviewVerdict};
    ///
    /// let run = client.run(MemoryQuery::new("Cancel order 1177").limit(3)).metadata("env", "prod").start().await;
    /// run.message(Message::user(run.augmented_task()));
    /// run.message(Message::assistant("It has shipped, so I sent a return label."));
    /// let trace_id = run.finish(Output::reviewed(ReviewVerdict::fail("Look the address up first.")));
    /// # }
    /// ```
    pub fn run(&self, query: impl Into<MemoryQuery>) -> RunBuilder {
        RunBuilder::new(self.connection.clone(), query.into())
    }

    /// A run around a closure: memories are retrieved before it, and its trace is sent after it.
    ///
    /// If the closure returns an `Err` after output or messages were added, the review is a fail with the text of the
    /// error as feedback. Without output and messages, the trace has no review. A run that is dropped before its end has
    /// no review and is marked as interrupted. The result of the closure is returned.
    ///
    /// ```no_run
    /// # async fn my_agent(_prompt: &str) -> Result<String, std::io::Error> { Ok(String::new()) }
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), std::io::Error> {
    /// use reflect_sdk::{Message, Output, ReviewVerdict};
    ///
    /// let answer = client
    ///     .traced("Where is order 1190?", |run| async move {
    ///         let answer = my_agent(run.augmented_task()).await?;
    ///         run.message(Message::assistant(answer.clone()));
    ///         run.set_output(Output::reviewed(ReviewVerdict::pass()));
    ///         Ok::<_, std::io::Error>(answer)
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn traced<T, E, F>(
        &self,
        query: impl Into<MemoryQuery>,
        work: impl FnOnce(RunContext) -> F,
    ) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
        E: Display,
    {
        let run = self.run(query).start().await;
        let result = work(run.context()).await;
        run.end(match &result {
            Ok(_) => Ending::Finished,
            Err(error) => Ending::failed(error),
        });
        result
    }

    /// Queues a trace to be sent in the background and returns its id immediately. [`delivery`](Self::delivery) and
    /// [`flush`](Self::flush) report the result.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// let id = client.submit(reflect_sdk::NewTrace::new("Refund order 1182", "Refunded 24.00."));
    /// client.flush(std::time::Duration::from_secs(10)).await;
    /// # }
    /// ```
    pub fn submit(&self, trace: NewTrace) -> TraceId {
        let id = trace.trace_id();
        self.connection.settings().outbox.submit(&trace);
        id
    }

    /// Sends all queued runs and reports the result.
    ///
    /// Call it before the process ends, because unsent runs are only in memory. It returns early if the server rejects
    /// this client, because waiting would not help.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// let report = client.flush(std::time::Duration::from_secs(10)).await;
    /// if report.pending + report.dropped > 0 {
    ///     eprintln!("{} runs did not arrive", report.pending + report.dropped);
    /// }
    /// # }
    /// ```
    pub async fn flush(&self, timeout: Duration) -> FlushReport {
        self.connection.settings().outbox.flush(timeout).await
    }

    /// Counters of the runs of this client and its clones.
    ///
    /// ```
    /// # let client = reflect_sdk::ReflectClient::builder().api_key("rf_test_1").build()?;
    /// assert_eq!(client.delivery().dropped.total(), 0);
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    pub fn delivery(&self) -> DeliveryCounters {
        self.connection.settings().outbox.counters()
    }

    /// Sends a request with the key of the client. A path with a leading slash is absolute; any other path is relative to
    /// the project. The path must be encoded and can have a query. Only GET requests are retried.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let answer = client.raw("GET", "traces/rows?limit=1", None).await?;
    /// println!("{}", String::from_utf8_lossy(&answer.body));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn raw(&self, method: &str, path: &str, body: Option<&Value>) -> Result<RawAnswer, Error> {
        let verb = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).map_err(|_| {
            Error::configuration(format!("{method:?} is not an HTTP method"), "Use for instance GET or POST.")
        })?;
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{}/{path}", self.connection.path(&[]))
        };
        if path.chars().any(|character| character.is_whitespace() || character.is_control()) {
            return Err(Error::configuration("the path contains spaces", "Percent-encode it."));
        }
        let mut request = Request::new(verb, path);
        request.repeatable = matches!(request.method, Method::GET | Method::HEAD);
        if let Some(body) = body {
            request = request.with_body(body)?;
        }
        let answer = self.connection.answer("raw", request).await?;
        Ok(RawAnswer {
            status: answer.status,
            next_cursor: answer.header("x-next-cursor").map(str::to_owned),
            body: answer.body.to_vec(),
        })
    }
}

impl fmt::Debug for ReflectClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectClient")
            .field("base_url", &self.base_url())
            .field("project_id", &self.project_id())
            .finish_non_exhaustive()
    }
}
