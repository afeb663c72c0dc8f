//! Waiting until a trace is processed.

use std::time::{Duration, Instant};

use reflect_api::Trace;
use reflect_types::{IngestStatus, ReviewStatus, TraceId};

use crate::address::with_query;
use crate::wire::{Manners, Request};
use crate::{Error, NewTrace, ReflectClient};

/// How long one request lets the server wait for us; it allows 50 seconds.
const LONG_POLL: Duration = Duration::from_secs(20);
/// A trace that nobody has heard of may be on its way from another process, but not for long.
const UNKNOWN_FOR: Duration = Duration::from_secs(5);
/// Between two questions, when the server does not wait for us.
const BETWEEN: Duration = Duration::from_millis(250);

impl ReflectClient {
    /// Stores a run and waits until its review has become a memory; without a review, until it is stored.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use std::time::Duration;
    /// use reflect_sdk::{NewTrace, Verdict};
    ///
    /// let trace = NewTrace::new("Translate the manual", "Das Handbuch").review(Verdict::pass());
    /// let learned = client.create_trace_and_wait(trace, Duration::from_secs(60)).await?;
    /// assert!(learned.created_memory_id.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_trace_and_wait(&self, trace: NewTrace, patience: Duration) -> Result<Trace, Error> {
        let (id, reviewed) = (trace.trace_id(), trace.is_reviewed());
        self.create_trace(trace).await?;
        self.wait_for_trace(id, reviewed, patience).await
    }

    /// The trace, once it is stored; with `require_reviewed`, once its review has become a memory.
    ///
    /// The server is asked to answer when there is news, so waiting costs few requests. A server that is restarted
    /// does not end it. [`Error::IngestFailed`] says that nothing could be learned, [`Error::WaitTimeout`] that
    /// `patience` was too short.
    pub async fn wait_for_trace(
        &self,
        trace_id: TraceId,
        require_reviewed: bool,
        patience: Duration,
    ) -> Result<Trace, Error> {
        self.catch_up(Some(trace_id)).await;
        let began = Instant::now();
        let left = || patience.saturating_sub(began.elapsed());
        // At first without waiting: mostly it is done, or never will be.
        let mut wait = Duration::ZERO;
        loop {
            let asked = Instant::now();
            let seen = self.look(trace_id, left(), wait).await;
            let (so_far, is_over) = (began.elapsed(), left().is_zero());
            let last = match seen {
                Ok(trace) => match judged(trace, require_reviewed) {
                    Ok(trace) => return Ok(trace),
                    Err(Unsettled::Failed(reason)) => return Err(Error::IngestFailed { trace_id, reason }),
                    Err(Unsettled::Waits(last)) => last,
                },
                Err(error) if error.status() == Some(404) => {
                    let on_its_way = self.settings().outbox.holds(Some(trace_id));
                    if (so_far > UNKNOWN_FOR || is_over) && !on_its_way {
                        return Err(error);
                    }
                    "the server does not know it".to_owned()
                }
                Err(error) if error.is_passing() => error.to_string(),
                Err(error) => return Err(error),
            };
            if is_over {
                return Err(Error::WaitTimeout { trace_id, waited: patience, last });
            }
            tokio::time::sleep(BETWEEN.saturating_sub(asked.elapsed()).min(left())).await;
            wait = left().min(LONG_POLL);
        }
    }

    async fn look(&self, trace_id: TraceId, left: Duration, wait: Duration) -> Result<Trace, Error> {
        // The server counts in whole seconds.
        let seconds = Some(wait.as_secs()).filter(|seconds| *seconds > 0).map(|seconds| seconds.to_string());
        let path = with_query(self.path(&["traces", &trace_id.to_string()]), &[("wait", seconds)]);
        let manners = self.settings().manners;
        let timeout = (left.min(manners.timeout) + wait).max(Duration::from_secs(1));
        let answer =
            self.answer_within("wait_for_trace", Request::get(path), Manners { timeout, ..manners }).await?;
        answer.json("wait_for_trace")
    }
}

enum Unsettled {
    Failed(String),
    Waits(String),
}

/// The trace, if it is what was waited for.
fn judged(trace: Trace, require_reviewed: bool) -> Result<Trace, Unsettled> {
    let error = trace.last_ingest_error.as_deref();
    if trace.ingest_status == IngestStatus::Failed {
        return Err(Unsettled::Failed(error.unwrap_or("the server does not say why").to_owned()));
    }
    let learned = trace.review_status == ReviewStatus::Reviewed && trace.created_memory_id.is_some();
    if !require_reviewed || learned {
        return Ok(trace);
    }
    let mut last =
        format!("review_status is {}, ingest_status is {}", trace.review_status, trace.ingest_status);
    if let Some(error) = error {
        last.push_str(&format!(", and the last attempt ended with: {error}"));
    }
    Err(Unsettled::Waits(last))
}
