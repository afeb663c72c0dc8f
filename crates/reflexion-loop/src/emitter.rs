//! Numbers events and sends them in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::event::{Envelope, Event};
use crate::timestamp::rfc3339;

/// The maximum number of unread deltas; more are dropped. Other events are never dropped.
const WAITING_DELTAS: usize = 1_024;

pub(crate) type Observer = Arc<dyn Fn(&Envelope) + Send + Sync>;
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Sends events. Clones share the numbering.
#[derive(Clone)]
pub(crate) struct Emitter {
    run_id: Arc<str>,
    /// The next number. The lock is held while an event is sent, so events arrive in order.
    next: Arc<Mutex<u64>>,
    waiting_deltas: Arc<AtomicUsize>,
    sender: UnboundedSender<Envelope>,
    observers: Arc<[Observer]>,
    clock: Clock,
}

/// Receives events.
pub(crate) struct Events {
    pub(crate) receiver: UnboundedReceiver<Envelope>,
    waiting_deltas: Arc<AtomicUsize>,
}

impl Emitter {
    pub(crate) fn new(run_id: &str, next: u64, observers: Arc<[Observer]>, clock: Clock) -> (Self, Events) {
        let (sender, receiver) = unbounded_channel();
        let waiting_deltas = Arc::new(AtomicUsize::new(0));
        let events = Events { receiver, waiting_deltas: Arc::clone(&waiting_deltas) };
        let next = Arc::new(Mutex::new(next));
        (Self { run_id: run_id.into(), next, waiting_deltas, sender, observers, clock }, events)
    }

    pub(crate) fn emit(&self, event: Event) {
        let is_read = !self.sender.is_closed();
        if event.is_lossy() && is_read && self.waiting_deltas.load(Ordering::Relaxed) >= WAITING_DELTAS {
            return;
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let envelope = Envelope { run_id: self.run_id.to_string(), seq: *next, at: self.now(), event };
        *next += 1;
        for observer in self.observers.iter() {
            observer(&envelope);
        }
        if envelope.event.is_lossy() && is_read {
            self.waiting_deltas.fetch_add(1, Ordering::Relaxed);
        }
        // A run can have no reader.
        let _ = self.sender.send(envelope);
    }

    pub(crate) fn next_seq(&self) -> u64 {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> String {
        rfc3339((self.clock)())
    }
}

impl Events {
    /// The reader must call it with each event.
    pub(crate) fn was_read(&self, envelope: &Envelope) {
        if envelope.event.is_lossy() {
            self.waiting_deltas.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
