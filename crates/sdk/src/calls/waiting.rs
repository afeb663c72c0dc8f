//! Waiting until a trace is processed.

use std::time::{Duration, Instant};

use reflect_api::Trace;
use reflect_types::{IngestStatus, ReviewStatus, TraceId};

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::wire::{CallPolicy, Request};

/// How long one request may block on the server, which allows 50 seconds.
const LONG_POLL: Duration = Duration::from_secs(20);
/// How long an unknown trace id is retried: another process may still be sending the trace.
const UNKNOWN_FOR: Duration = Duration::from_secs(5);
/// The pause between two requests if the server does not long-poll.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Polls until the trace is stored or, with `require_reviewed`, until its review has become a memory.
pub(super) async fn wait_for_trace(
    connection: &Connection,
    trace_id: TraceId,
    require_reviewed: bool,
    timeout: Duration,
) -> Result<Trace, Error> {
    let started = Instant::now();
    let left = || timeout.saturating_sub(started.elapsed());
    // The first request does not long-poll: most traces are already processed.
    let mut wait = Duration::ZERO;
    loop {
        let requested = Instant::now();
        let response = poll(connection, trace_id, left(), wait).await;
        let (elapsed, is_over) = (started.elapsed(), left().is_zero());
        let last = match response {
            Ok(trace) => match progress(trace, require_reviewed) {
                Progress::Done(trace) => return Ok(*trace),
                Progress::Failed(reason) => return Err(Error::IngestFailed { trace_id, reason }),
                Progress::Waiting(last) => last,
            },
            Err(error) if error.status() == Some(404) => {
                let is_unsent = connection.settings().outbox.has_unsent(Some(trace_id));
                if (elapsed > UNKNOWN_FOR || is_over) && !is_unsent {
                    return Err(error);
                }
                "the server does not know it".to_owned()
            }
            Err(error) if error.is_passing() => error.to_string(),
            Err(error) => return Err(error),
        };
        if is_over {
            return Err(Error::WaitTimeout { trace_id, waited: timeout, last });
        }
        tokio::time::sleep(POLL_INTERVAL.saturating_sub(requested.elapsed()).min(left())).await;
        wait = left().min(LONG_POLL);
    }
}

async fn poll(
    connection: &Connection,
    trace_id: TraceId,
    left: Duration,
    wait: Duration,
) -> Result<Trace, Error> {
    // The server takes whole seconds.
    let seconds = Some(wait.as_secs()).filter(|seconds| *seconds > 0).map(|seconds| seconds.to_string());
    let path = with_query(connection.path(&["traces", &trace_id.to_string()]), &[("wait", seconds)]);
    let policy = connection.settings().policy;
    let timeout = (left.min(policy.timeout) + wait).max(Duration::from_secs(1));
    let policy = CallPolicy { timeout, ..policy };
    connection.answer_within("traces.wait_for", Request::get(path), policy).await?.json("traces.wait_for")
}

enum Progress {
    Done(Box<Trace>),
    Failed(String),
    /// Says what the trace waits for.
    Waiting(String),
}

fn progress(trace: Trace, require_reviewed: bool) -> Progress {
    let error = trace.last_ingest_error.as_deref();
    if trace.ingest_status == IngestStatus::Failed {
        return Progress::Failed(error.unwrap_or("the server gives no reason").to_owned());
    }
    let learned = trace.review_status == ReviewStatus::Reviewed && trace.created_memory_id.is_some();
    if !require_reviewed || learned {
        return Progress::Done(Box::new(trace));
    }
    let mut last =
        format!("review_status is {}, ingest_status is {}", trace.review_status, trace.ingest_status);
    if let Some(error) = error {
        last.push_str(&format!(", and the last attempt failed: {error}"));
    }
    Progress::Waiting(last)
}
