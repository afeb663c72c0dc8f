//! A run that sends its trace when it ends or is dropped.

use std::ops::Deref;
use std::time::Duration;

use reflect_api::Trace;
use reflect_types::TraceId;

use super::ending::{Ending, trace_of};
use super::{Output, RunContext};
use crate::calls::TraceCalls;
use crate::connection::Connection;
use crate::error::Error;

/// A run in progress that sends its trace at its end.
///
/// [`finish`](Self::finish) sends the trace. A run can be dropped before, by an early return, a panic or a cancelled
/// task. If it has messages or output, its trace is sent without a review and marked as interrupted.
///
/// [`RunContext`] has the methods to read and extend it. [`ReflectClient::run`](crate::ReflectClient::run) has an example.
#[derive(Debug)]
#[must_use = "a run that is dropped counts as interrupted"]
pub struct Run {
    connection: Connection,
    context: RunContext,
    ended: bool,
}

impl Run {
    pub(super) fn new(connection: Connection, context: RunContext) -> Self {
        Self { connection, context, ended: false }
    }

    /// The context of the run, to pass to other code. Messages that are added after the end are lost.
    pub fn context(&self) -> RunContext {
        self.context.clone()
    }

    /// Ends the run with an output and queues its trace. It does not wait for the server.
    pub fn finish(self, output: Output) -> TraceId {
        self.set_output(output);
        self.end(Ending::Finished)
    }

    /// [`finish`](Self::finish), then waits until the review has become a memory, or, without a review, until the trace
    /// is stored.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use std::time::Duration;
    /// use reflect_sdk::{Output, ReviewVerdict};
    ///
    /// let run = client.run("Summarise the report").start().await;
    /// let output = Output { review: Some(ReviewVerdict::pass()), ..Output::text("Revenue fell.") };
    /// let trace = run.finish_and_wait(output, Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn finish_and_wait(self, output: Output, timeout: Duration) -> Result<Trace, Error> {
        let (traces, reviewed) =
            (TraceCalls { connection: self.connection.clone() }, output.review.is_some());
        let trace_id = self.finish(output);
        traces.wait_for(trace_id, reviewed, timeout).await
    }

    pub(crate) fn end(mut self, ending: Ending) -> TraceId {
        self.close(ending);
        self.context.trace_id()
    }

    fn close(&mut self, ending: Ending) {
        self.ended = true;
        let interrupted = matches!(ending, Ending::Interrupted(_));
        match trace_of(&self.context, self.context.take_notes(), ending) {
            Some(trace) => self.connection.settings().outbox.submit(&trace),
            None => {
                self.connection.settings().outbox.count_empty();
                if !interrupted {
                    tracing::warn!("a run ended without output and messages; no trace is stored");
                }
            }
        }
    }
}

impl Deref for Run {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.context
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.ended {
            self.close(Ending::Interrupted(if std::thread::panicking() { "panic" } else { "dropped" }));
        }
    }
}
