//! The state of the outbox, and how responses change it. The caller holds the lock; nothing here blocks.

use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use reflect_types::TraceId;

use super::batch_response::{BatchResponse, TraceResult};
use super::counters::{DeliveryCounters, FlushReport};
use super::queue::{BATCH_ITEMS, Queue, QueueLimits};
use super::server_status::{RetryState, ServerStatus};
use crate::wire::jitter;

pub(super) struct State {
    pub(super) queue: Queue,
    pub(super) retry: RetryState,
    pub(super) counters: DeliveryCounters,
    reported: FlushReport,
    /// The maximum batch size. It is reduced after a batch that the server rejected as a whole.
    batch_items: usize,
    /// Send the next batch immediately and ignore the retry time.
    pub(super) push: bool,
    /// The number of active flushes.
    pub(super) flushing: usize,
}

/// The next action of the worker.
pub(super) enum WorkerAction {
    Send {
        body: Bytes,
        count: usize,
    },
    Wait(Duration),
    /// The queue is empty.
    End,
}

impl State {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self {
            queue: Queue::new(limits),
            retry: RetryState::default(),
            counters: DeliveryCounters::default(),
            reported: FlushReport::default(),
            batch_items: BATCH_ITEMS,
            push: false,
            flushing: 0,
        }
    }

    pub(super) fn put(&mut self, id: TraceId, body: Bytes, reviewed: bool, now: Instant) {
        self.counters.produced += 1;
        let evicted = self.queue.push(id, body, reviewed, now);
        if evicted.is_empty() {
            return;
        }
        // Logged once. The counters have the total.
        if self.counters.dropped.full == 0 {
            tracing::warn!("the queue of unsent runs is full; the oldest runs are dropped");
        }
        self.counters.dropped.full += evicted.len() as u64;
    }

    pub(super) fn next_action(&mut self, now: Instant) -> WorkerAction {
        let Some(due) = self.queue.due(now, self.batch_items, self.flushing > 0) else {
            self.push = false;
            return WorkerAction::End;
        };
        let due = due.max(self.retry.not_before.unwrap_or(due));
        if due > now && !self.push {
            return WorkerAction::Wait(due - now);
        }
        let batch = self.queue.take(now, self.batch_items, self.push);
        let mut body = BytesMut::from(&b"{\"traces\":["[..]);
        for (index, entry) in batch.iter().enumerate() {
            if index > 0 {
                body.put_u8(b',');
            }
            body.put_slice(&entry.body);
        }
        body.put_slice(b"]}");
        let count = batch.len();
        self.push = false;
        WorkerAction::Send { body: body.freeze(), count }
    }

    /// The server responded to a batch.
    pub(super) fn answered(&mut self, response: BatchResponse, retry_after: Option<Duration>, now: Instant) {
        match response {
            BatchResponse::PerTrace(results) => self.complete(results, now),
            BatchResponse::Whole { split, status, message } => {
                self.batch_failed(split, status, &message, retry_after, now)
            }
        }
    }

    /// The server could not be reached.
    pub(super) fn unreachable(&mut self, reason: &str, now: Instant) {
        self.failed(ServerStatus::Unreachable, reason, None, now);
    }

    fn complete(&mut self, results: Vec<TraceResult>, now: Instant) {
        let all_retry = results.iter().all(|result| *result == TraceResult::Retry);
        self.retry.reset();
        self.batch_items = (self.batch_items * 2).min(BATCH_ITEMS);
        let (stored, rejected) = self.queue.complete(results, now, jitter());
        self.counters.sent += stored;
        for (id, reason) in rejected {
            self.reject(id, &reason);
        }
        if all_retry {
            self.retry.record_failure(ServerStatus::Busy, now, None, jitter());
        }
    }

    fn batch_failed(
        &mut self,
        split: bool,
        status: ServerStatus,
        message: &str,
        retry_after: Option<Duration>,
        now: Instant,
    ) {
        let (count, failed_before) = self.queue.in_flight_state();
        if split && count > 1 {
            // Smaller batches find the run that causes the error.
            self.batch_items = (count / 2).max(1);
            self.queue.requeue();
        } else if split && status == ServerStatus::Available {
            // The server works and rejects this run.
            self.complete(vec![TraceResult::Rejected(message.to_owned())], now);
        } else if split {
            self.queue.postpone(now, jitter());
        }
        // A single run that fails repeatedly does not show that the server is unavailable.
        if status != ServerStatus::Available && !(split && failed_before && count == 1) {
            self.failed(status, message, retry_after, now);
        }
    }

    fn failed(&mut self, status: ServerStatus, message: &str, retry_after: Option<Duration>, now: Instant) {
        if status != self.retry.status {
            match status {
                ServerStatus::Unreachable => {
                    tracing::warn!("the server cannot be reached ({message}); runs are kept in memory")
                }
                ServerStatus::Denied => tracing::warn!(
                    "the server rejects this client ({message}); runs are kept in memory. Check the base URL, the project \
                     and the key; the key needs the scope trace:write"
                ),
                ServerStatus::Available | ServerStatus::Busy => {}
            }
        }
        self.queue.requeue();
        self.retry.record_failure(status, now, retry_after, jitter());
    }

    fn reject(&mut self, id: TraceId, reason: &str) {
        self.counters.dropped.rejected += 1;
        tracing::error!(trace.id = %id, "the server rejected run {id}, and the run is dropped: {reason}");
    }

    pub(super) fn totals(&self) -> DeliveryCounters {
        DeliveryCounters { pending: self.queue.len() as u64, ..self.counters }
    }

    /// The counters since the last report.
    pub(super) fn report(&mut self) -> FlushReport {
        let (now, before) = (self.totals(), self.reported);
        self.reported = FlushReport { sent: now.sent, pending: 0, dropped: now.dropped.total() };
        FlushReport {
            sent: now.sent - before.sent,
            pending: now.pending,
            dropped: now.dropped.total() - before.dropped,
        }
    }

    /// Whether a flush of the runs up to `newest` is complete.
    pub(super) fn is_flushed(&self, newest: u64) -> bool {
        let denied = self.retry.status == ServerStatus::Denied && !self.push && !self.queue.has_in_flight();
        denied || !self.queue.contains_up_to(newest)
    }
}

#[cfg(test)]
mod tests;
