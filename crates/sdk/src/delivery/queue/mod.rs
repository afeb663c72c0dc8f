//! The queue of runs that wait: bounded in number and bytes, the oldest without a review give way first.
//!
//! It decides and keeps; it sends nothing and asks no clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reflect_types::TraceId;

use super::reading::Fate;
use crate::wire::backoff;

const MB: usize = 1024 * 1024;
/// A batch larger than this gains nothing; the server takes 100 runs and 32 MB.
pub(super) const BATCH_ITEMS: usize = 50;
const BATCH_BYTES: usize = MB;
/// How long a run waits for others to share its batch.
const LINGER: Duration = Duration::from_millis(200);

/// How much may wait.
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

/// One run that waits.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: TraceId,
    pub(super) body: Bytes,
    reviewed: bool,
    /// Counts up, so that a flush knows what was there when it began.
    number: u64,
    queued_at: Instant,
    attempts: u32,
    not_before: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct Queue {
    limits: QueueLimits,
    ready: VecDeque<Entry>,
    /// Each of these failed, and waits for its own time.
    later: Vec<Entry>,
    /// On the way at this moment.
    flying: Vec<Entry>,
    bytes: usize,
    numbered: u64,
    others_first: bool,
}

impl Queue {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self {
            limits,
            ready: VecDeque::new(),
            later: Vec::new(),
            flying: Vec::new(),
            bytes: 0,
            numbered: 0,
            others_first: false,
        }
    }

    /// Takes a run over; those that had to give way for it come back, perhaps the run itself.
    pub(super) fn push(&mut self, id: TraceId, body: Bytes, reviewed: bool, now: Instant) -> Vec<Entry> {
        self.numbered += 1;
        self.bytes += body.len();
        let oversized = body.len() > self.limits.bytes;
        let entry = Entry {
            id,
            body,
            reviewed,
            number: self.numbered,
            queued_at: now,
            attempts: 0,
            not_before: None,
        };
        self.ready.push_back(entry);
        let mut given_up = Vec::new();
        if oversized {
            // Emptying everything would not help.
            given_up.extend(self.ready.pop_back());
        }
        self.bytes -= given_up.iter().map(|entry| entry.body.len()).sum::<usize>();
        while self.len() > self.limits.items || self.bytes > self.limits.bytes {
            let Some(victim) = self.oldest() else { break };
            self.bytes -= victim.body.len();
            given_up.push(victim);
        }
        given_up
    }

    /// Removes the oldest run without a review that is not on the way, else the oldest with one.
    fn oldest(&mut self) -> Option<Entry> {
        let plain = |entry: &Entry| !entry.reviewed;
        if let Some(index) = self.later.iter().position(plain) {
            return Some(self.later.remove(index));
        }
        if let Some(index) = self.ready.iter().position(plain) {
            return self.ready.remove(index);
        }
        if self.later.is_empty() { self.ready.pop_front() } else { Some(self.later.remove(0)) }
    }

    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.later.len() + self.flying.len()
    }

    pub(super) fn is_flying(&self) -> bool {
        !self.flying.is_empty()
    }

    pub(super) fn holds(&self, id: TraceId) -> bool {
        self.all().any(|entry| entry.id == id)
    }

    /// The number of the newest run so far.
    pub(super) fn newest(&self) -> u64 {
        self.numbered
    }

    /// Whether anything waits that was there when `newest` was.
    pub(super) fn holds_up_to(&self, newest: u64) -> bool {
        self.all().any(|entry| entry.number <= newest)
    }

    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.flying.iter().chain(&self.later).chain(&self.ready)
    }

    /// When there will be something to send; None when there is nothing. Nobody lingers when somebody waits.
    pub(super) fn due(&self, now: Instant, batch_items: usize, awaited: bool) -> Option<Instant> {
        let waiting_bytes = || self.ready.iter().map(|entry| entry.body.len()).sum::<usize>();
        let full = self.ready.len() >= batch_items || waiting_bytes() >= BATCH_BYTES;
        let ready =
            self.ready.front().map(|first| if awaited || full { now } else { first.queued_at + LINGER });
        let later = self.later.iter().filter_map(|entry| entry.not_before).min();
        ready.into_iter().chain(later).min()
    }

    /// The next batch, which is then on its way. Runs that failed before do not share one with others, because they
    /// may be why it failed. With `push` their pauses do not count.
    pub(super) fn take(&mut self, now: Instant, batch_items: usize, push: bool) -> &[Entry] {
        let is_due = |entry: &Entry| push || entry.not_before.is_none_or(|at| at <= now);
        let again = self.later.iter().any(is_due);
        if again && (self.others_first || self.ready.is_empty()) {
            self.others_first = false;
            let (mut due, rest): (Vec<Entry>, Vec<Entry>) = self.later.drain(..).partition(is_due);
            self.later = rest;
            self.later.extend(due.split_off(due.len().min(batch_items)));
            self.flying = due;
        } else {
            self.others_first = true;
            let mut size = 0;
            while self.flying.len() < batch_items
                && let Some(first) = self.ready.front()
                && (self.flying.is_empty() || size + first.body.len() <= BATCH_BYTES)
            {
                size += first.body.len();
                self.flying.extend(self.ready.pop_front());
            }
        }
        &self.flying
    }

    /// Puts a batch that did not arrive back in front.
    pub(super) fn give_back(&mut self) {
        for entry in self.flying.drain(..).rev() {
            if entry.attempts > 0 { self.later.push(entry) } else { self.ready.push_front(entry) }
        }
    }

    /// Tries what is on the way again later, without holding up the others.
    pub(super) fn postpone(&mut self, now: Instant, lot: f64) {
        for mut entry in std::mem::take(&mut self.flying) {
            entry.not_before = Some(now + backoff(entry.attempts, lot));
            entry.attempts += 1;
            self.later.push(entry);
        }
    }

    /// How many are on the way, and whether the first of them failed before.
    pub(super) fn under_way(&self) -> (usize, bool) {
        (self.flying.len(), self.flying.first().is_some_and(|entry| entry.attempts > 0))
    }

    /// Ends the way of each; gives how many arrived, and those that the server does not take.
    pub(super) fn settle(
        &mut self,
        fates: Vec<Fate>,
        now: Instant,
        lot: f64,
    ) -> (u64, Vec<(TraceId, String)>) {
        let (mut arrived, mut rejected) = (0, Vec::new());
        for (entry, fate) in std::mem::take(&mut self.flying).into_iter().zip(fates) {
            match fate {
                Fate::Again => self.flying.push(entry),
                Fate::Arrived => {
                    self.bytes -= entry.body.len();
                    arrived += 1;
                }
                Fate::Rejected(words) => {
                    self.bytes -= entry.body.len();
                    rejected.push((entry.id, words));
                }
            }
        }
        self.postpone(now, lot);
        (arrived, rejected)
    }
}

#[cfg(test)]
mod tests;
