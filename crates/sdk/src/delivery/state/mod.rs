//! What the outbox knows, and how an attempt changes it. Callers hold the lock; nothing here waits.

use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use reflect_types::TraceId;

use super::counters::{DeliveryCounters, FlushReport};
use super::queue::{BATCH_ITEMS, Queue, QueueLimits};
use super::reading::{Fate, Reading};
use super::trouble::{Health, Trouble};
use crate::wire::lot;

pub(super) struct State {
    pub(super) queue: Queue,
    pub(super) trouble: Trouble,
    pub(super) counters: DeliveryCounters,
    reported: FlushReport,
    /// Fewer after a batch that the server could not take.
    batch_items: usize,
    /// Send at once, this once, whatever the pause.
    pub(super) push: bool,
    /// How many wait for the queue to be empty.
    pub(super) awaited: usize,
}

/// What the worker is to do next.
pub(super) enum Step {
    Send {
        body: Bytes,
        count: usize,
    },
    Wait(Duration),
    /// There is nothing left to send.
    End,
}

impl State {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self {
            queue: Queue::new(limits),
            trouble: Trouble::default(),
            counters: DeliveryCounters::default(),
            reported: FlushReport::default(),
            batch_items: BATCH_ITEMS,
            push: false,
            awaited: 0,
        }
    }

    pub(super) fn put(&mut self, id: TraceId, body: Bytes, reviewed: bool, now: Instant) {
        self.counters.produced += 1;
        let given_up = self.queue.push(id, body, reviewed, now);
        if given_up.is_empty() {
            return;
        }
        // Said when it begins; the counters tell the rest.
        if self.counters.dropped.full == 0 {
            tracing::warn!("more runs wait to be sent than there is room for: the oldest are dropped");
        }
        self.counters.dropped.full += given_up.len() as u64;
    }

    pub(super) fn next_step(&mut self, now: Instant) -> Step {
        let Some(due) = self.queue.due(now, self.batch_items, self.awaited > 0) else {
            self.push = false;
            return Step::End;
        };
        let due = due.max(self.trouble.not_before.unwrap_or(due));
        if due > now && !self.push {
            return Step::Wait(due - now);
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
        Step::Send { body: body.freeze(), count }
    }

    /// The server answered a batch.
    pub(super) fn answered(&mut self, reading: Reading, asked: Option<Duration>, now: Instant) {
        match reading {
            Reading::Each(fates) => self.settle(fates, now),
            Reading::Whole { split, health, message } => self.refused(split, health, &message, asked, now),
        }
    }

    /// The server could not be reached.
    pub(super) fn unreachable(&mut self, reason: &str, now: Instant) {
        self.failed(Health::Down, reason, None, now);
    }

    fn settle(&mut self, fates: Vec<Fate>, now: Instant) {
        let all_again = fates.iter().all(|fate| *fate == Fate::Again);
        self.trouble.over();
        self.batch_items = (self.batch_items * 2).min(BATCH_ITEMS);
        let (arrived, rejected) = self.queue.settle(fates, now, lot());
        self.counters.sent += arrived;
        for (id, words) in rejected {
            self.reject(id, &words);
        }
        if all_again {
            self.trouble.failed(Health::Busy, now, None, lot());
        }
    }

    fn refused(&mut self, split: bool, health: Health, message: &str, asked: Option<Duration>, now: Instant) {
        let (count, again) = self.queue.under_way();
        if split && count > 1 {
            // Which of them is at fault shows when fewer are sent.
            self.batch_items = (count / 2).max(1);
            self.queue.give_back();
        } else if split && health == Health::Good {
            // The server works, and it is this one that it refuses.
            self.settle(vec![Fate::Rejected(message.to_owned())], now);
        } else if split {
            self.queue.postpone(now, lot());
        }
        // A run that makes the server fail time and again says nothing about the others.
        if health != Health::Good && !(split && again && count == 1) {
            self.failed(health, message, asked, now);
        }
    }

    fn failed(&mut self, health: Health, message: &str, asked: Option<Duration>, now: Instant) {
        if health != self.trouble.health {
            match health {
                Health::Down => {
                    tracing::warn!("the server cannot be reached ({message}): runs wait in memory")
                }
                Health::Refusing => tracing::warn!(
                    "the server does not let this client in ({message}): check address, project and key, which needs \
                     the scope trace:write; runs wait in memory"
                ),
                Health::Good | Health::Busy => {}
            }
        }
        self.queue.give_back();
        self.trouble.failed(health, now, asked, lot());
    }

    fn reject(&mut self, id: TraceId, words: &str) {
        self.counters.dropped.rejected += 1;
        tracing::error!(trace.id = %id, "the server does not accept run {id}, which is dropped: {words}");
    }

    pub(super) fn totals(&self) -> DeliveryCounters {
        DeliveryCounters { pending: self.queue.len() as u64, ..self.counters }
    }

    /// What happened since the last report.
    pub(super) fn report(&mut self) -> FlushReport {
        let (now, before) = (self.totals(), self.reported);
        self.reported = FlushReport { sent: now.sent, pending: 0, dropped: now.dropped.total() };
        FlushReport {
            sent: now.sent - before.sent,
            pending: now.pending,
            dropped: now.dropped.total() - before.dropped,
        }
    }

    /// Whether a flush that began at `newest` is over.
    pub(super) fn is_flushed(&self, newest: u64) -> bool {
        let hopeless = self.trouble.health == Health::Refusing && !self.push && !self.queue.is_flying();
        hopeless || !self.queue.holds_up_to(newest)
    }
}

#[cfg(test)]
mod tests;
