//! Calls that wrap a run, and those that see to it that runs arrive.

use std::fmt::Display;
use std::time::Duration;

use crate::delivery::{DeliveryCounters, FlushReport};
use crate::run::{Ending, RunBuilder, RunContext};
use crate::{MemoryQuery, ReflectClient};

impl ReflectClient {
    /// A run of a task: [`start`](RunBuilder::start) retrieves memories, [`finish`](crate::Run::finish) sends the trace.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) {
    /// use reflect_sdk::{MemoryQuery, Message, Output, Verdict};
    ///
    /// let run = client.run(MemoryQuery::new("Cancel order 1177").limit(3)).metadata("env", "prod").start().await;
    /// run.message(Message::user(run.augmented_task()));
    /// run.message(Message::assistant("It has shipped, so I sent a return label."));
    /// let trace_id = run.finish(Output::reviewed(Verdict::fail("Look the address up first.")));
    /// # }
    /// ```
    pub fn run(&self, query: impl Into<MemoryQuery>) -> RunBuilder {
        RunBuilder::new(self.clone(), query.into())
    }

    /// A run around a closure: memories are retrieved before it, and its trace is sent after it.
    ///
    /// An `Err` after output was set or messages were noted is a fail with the error's text as feedback. An `Err` with
    /// nothing to show is a run without a verdict, and so is one that is dropped on the way, which is marked as
    /// interrupted. What the closure gives is given back.
    ///
    /// ```no_run
    /// # async fn my_agent(_prompt: &str) -> Result<String, std::io::Error> { Ok(String::new()) }
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), std::io::Error> {
    /// use reflect_sdk::{Message, Output, Verdict};
    ///
    /// let answer = client
    ///     .traced("Where is order 1190?", |run| async move {
    ///         let answer = my_agent(run.augmented_task()).await?;
    ///         run.message(Message::assistant(answer.clone()));
    ///         run.set_output(Output::reviewed(Verdict::pass()));
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

    /// Sends all runs that are on their way, and says what became of them.
    ///
    /// Call it before the process ends: runs are kept in memory only. It comes back early when the server refuses this
    /// client, because waiting would not help.
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
        self.settings().outbox.flush(timeout).await
    }

    /// What became of the runs of this client and its clones.
    ///
    /// ```
    /// # let client = reflect_sdk::ReflectClient::builder().api_key("rf_test_1").build()?;
    /// assert_eq!(client.delivery().dropped.total(), 0);
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    pub fn delivery(&self) -> DeliveryCounters {
        self.settings().outbox.counters()
    }
}
