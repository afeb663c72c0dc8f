//! A run that sees to its own end, however that comes.

use std::ops::Deref;
use std::time::Duration;

use reflect_api::Trace;
use reflect_types::TraceId;

use super::ending::{Ending, trace_of};
use super::{Output, RunContext};
use crate::{Error, ReflectClient};

/// A run that is going on, and whose end is seen to.
///
/// [`finish`](Self::finish) sends its trace. A run that is dropped before that, by an early return, a panic or a
/// cancelled task, leaves a trace without a verdict that is marked as interrupted, if anything was noted: nobody judged
/// it, so it is no failure.
///
/// What can be asked of it and noted in it is in [`RunContext`]; [`ReflectClient::run`] has an example.
#[derive(Debug)]
#[must_use = "a run that is dropped counts as interrupted"]
pub struct Run {
    client: ReflectClient,
    context: RunContext,
    ended: bool,
}

impl Run {
    pub(super) fn new(client: ReflectClient, context: RunContext) -> Self {
        Self { client, context, ended: false }
    }

    /// The run without its end, to hand on. What is noted after the end is lost.
    pub fn context(&self) -> RunContext {
        self.context.clone()
    }

    /// Says what came of the run and hands its trace over to be sent in the background. Nothing is waited for.
    pub fn finish(self, output: Output) -> TraceId {
        self.set_output(output);
        self.end(Ending::Finished)
    }

    /// The same, and waits until the review has become a memory, or without a review until the trace is stored.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use std::time::Duration;
    /// use reflect_sdk::{Output, Verdict};
    ///
    /// let run = client.run("Summarise the report").start().await;
    /// let output = Output { review: Some(Verdict::pass()), ..Output::text("Revenue fell.") };
    /// let trace = run.finish_and_wait(output, Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn finish_and_wait(self, output: Output, patience: Duration) -> Result<Trace, Error> {
        let (client, reviewed) = (self.client.clone(), output.review.is_some());
        let trace_id = self.finish(output);
        client.wait_for_trace(trace_id, reviewed, patience).await
    }

    pub(crate) fn end(mut self, ending: Ending) -> TraceId {
        self.close(ending);
        self.context.trace_id()
    }

    fn close(&mut self, ending: Ending) {
        self.ended = true;
        let interrupted = matches!(ending, Ending::Interrupted(_));
        match trace_of(&self.context, self.context.take_said(), ending) {
            Some(trace) => self.client.settings().outbox.submit(&trace),
            None => {
                self.client.settings().outbox.count_empty();
                if !interrupted {
                    tracing::warn!("a run ended without output and with nothing noted, so nothing is stored");
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
