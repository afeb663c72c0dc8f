//! The queue of unsent runs, limited in number and bytes. A full queue drops the oldest runs without a review first.
//!
//! It does no input or output and does not read a clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reflect_types::TraceId;

use super::batch_response::TraceResult;
use crate::wire::backoff;

const MB: usize = 1024 * 1024;
/// Larger batches are not faster. The server accepts 100 runs and 32 MB.
pub(super) const BATCH_ITEMS: usize = 50;
const BATCH_BYTES: usize = MB;
/// How long a run waits for others to fill a batch.
const LINGER: Duration = Duration::from_millis(200);

/// The maximum size of the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueLimits {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { items: 10_000, bytes: 64 * MB }
    }
}

/// One queued run.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: TraceId,
    pub(super) body: Bytes,
    reviewed: bool,
    /// Increases with each run. A flush waits for the runs up to the number at its start.
    number: u64,
    queued_at: Instant,
    attempts: u32,
    not_before: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct Queue {
    limits: QueueLimits,
    ready: VecDeque<Entry>,
    /// Runs that failed. Each waits until its own retry time.
    delayed: Vec<Entry>,
    /// The batch that is being sent.
    in_flight: Vec<Entry>,
    bytes: usize,
    last_number: u64,
    delayed_next: bool,
}

impl Queue {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self {
            limits,
            ready: VecDeque::new(),
            delayed: Vec::new(),
            in_flight: Vec::new(),
            bytes: 0,
            last_number: 0,
            delayed_next: false,
        }
    }

    /// Adds a run. Returns the runs that were dropped for it, which can include the run.
    pub(super) fn push(&mut self, id: TraceId, body: Bytes, reviewed: bool, now: Instant) -> Vec<Entry> {
        self.last_number += 1;
        self.bytes += body.len();
        let oversized = body.len() > self.limits.bytes;
        let entry = Entry {
            id,
            body,
            reviewed,
            number: self.last_number,
            queued_at: now,
            attempts: 0,
            not_before: None,
        };
        self.ready.push_back(entry);
        let mut evicted = Vec::new();
        if oversized {
            // The run is larger than the whole queue, so no other run is dropped for it.
            evicted.extend(self.ready.pop_back());
        }
        self.bytes -= evicted.iter().map(|entry| entry.body.len()).sum::<usize>();
        while self.len() > self.limits.items || self.bytes > self.limits.bytes {
            let Some(entry) = self.evict_oldest() else { break };
            self.bytes -= entry.body.len();
            evicted.push(entry);
        }
        evicted
    }

    /// Removes the oldest run without a review that is not in flight, else the oldest with a review.
    fn evict_oldest(&mut self) -> Option<Entry> {
        let plain = |entry: &Entry| !entry.reviewed;
        if let Some(index) = self.delayed.iter().position(plain) {
            return Some(self.delayed.remove(index));
        }
        if let Some(index) = self.ready.iter().position(plain) {
            return self.ready.remove(index);
        }
        if self.delayed.is_empty() { self.ready.pop_front() } else { Some(self.delayed.remove(0)) }
    }

    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.delayed.len() + self.in_flight.len()
    }

    pub(super) fn has_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    pub(super) fn contains(&self, id: TraceId) -> bool {
        self.all().any(|entry| entry.id == id)
    }

    /// The number of the newest run so far.
    pub(super) fn newest(&self) -> u64 {
        self.last_number
    }

    /// Whether the queue has a run with a number up to `newest`.
    pub(super) fn contains_up_to(&self, newest: u64) -> bool {
        self.all().any(|entry| entry.number <= newest)
    }

    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.in_flight.iter().chain(&self.delayed).chain(&self.ready)
    }

    /// When the next batch is due. `None` if the queue is empty. During a flush, runs do not wait for others.
    pub(super) fn due(&self, now: Instant, batch_items: usize, flushing: bool) -> Option<Instant> {
        let waiting_bytes = || self.ready.iter().map(|entry| entry.body.len()).sum::<usize>();
        let full = self.ready.len() >= batch_items || waiting_bytes() >= BATCH_BYTES;
        let ready =
            self.ready.front().map(|first| if flushing || full { now } else { first.queued_at + LINGER });
        let later = self.delayed.iter().filter_map(|entry| entry.not_before).min();
        ready.into_iter().chain(later).min()
    }

    /// Moves the next batch to in flight. Runs that failed before are sent separately, because they may have caused the
    /// failure. With `push`, their retry times are ignored.
    pub(super) fn take(&mut self, now: Instant, batch_items: usize, push: bool) -> &[Entry] {
        let is_due = |entry: &Entry| push || entry.not_before.is_none_or(|at| at <= now);
        let has_delayed = self.delayed.iter().any(is_due);
        if has_delayed && (self.delayed_next || self.ready.is_empty()) {
            self.delayed_next = false;
            let (mut due, rest): (Vec<Entry>, Vec<Entry>) = self.delayed.drain(..).partition(is_due);
            self.delayed = rest;
            self.delayed.extend(due.split_off(due.len().min(batch_items)));
            self.in_flight = due;
        } else {
            self.delayed_next = true;
            let mut size = 0;
            while self.in_flight.len() < batch_items
                && let Some(first) = self.ready.front()
                && (self.in_flight.is_empty() || size + first.body.len() <= BATCH_BYTES)
            {
                size += first.body.len();
                self.in_flight.extend(self.ready.pop_front());
            }
        }
        &self.in_flight
    }

    /// Moves the batch in flight back to the front of the queue.
    pub(super) fn requeue(&mut self) {
        for entry in self.in_flight.drain(..).rev() {
            if entry.attempts > 0 { self.delayed.push(entry) } else { self.ready.push_front(entry) }
        }
    }

    /// Delays the batch in flight. Other runs do not wait for it.
    pub(super) fn postpone(&mut self, now: Instant, jitter: f64) {
        for mut entry in std::mem::take(&mut self.in_flight) {
            entry.not_before = Some(now + backoff(entry.attempts, jitter));
            entry.attempts += 1;
            self.delayed.push(entry);
        }
    }

    /// The number of runs in flight, and whether the first of them failed before.
    pub(super) fn in_flight_state(&self) -> (usize, bool) {
        (self.in_flight.len(), self.in_flight.first().is_some_and(|entry| entry.attempts > 0))
    }

    /// Applies the result of each run. Returns the number of stored runs, and the rejected runs.
    pub(super) fn complete(
        &mut self,
        results: Vec<TraceResult>,
        now: Instant,
        jitter: f64,
    ) -> (u64, Vec<(TraceId, String)>) {
        let (mut stored, mut rejected) = (0, Vec::new());
        for (entry, result) in std::mem::take(&mut self.in_flight).into_iter().zip(results) {
            match result {
                TraceResult::Retry => self.in_flight.push(entry),
                TraceResult::Stored => {
                    self.bytes -= entry.body.len();
                    stored += 1;
                }
                TraceResult::Rejected(reason) => {
                    self.bytes -= entry.body.len();
                    rejected.push((entry.id, reason));
                }
            }
        }
        self.postpone(now, jitter);
        (stored, rejected)
    }
}

#[cfg(test)]
mod tests;
