//! Ends a run whose case never returns: a thread cannot be stopped, so the process ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A case that takes longer never returns.
const STUCK: Duration = Duration::from_secs(30);

/// Watches the cases of a run until it is dropped.
pub(crate) struct Watchdog {
    started: Arc<AtomicU64>,
    input: Arc<Mutex<Vec<u8>>>,
    _end: Sender<()>,
}

impl Watchdog {
    pub(crate) fn start(target: &'static str) -> Self {
        let (end, ended) = channel();
        let (started, input) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (of_thread, input_of_thread) = (started.clone(), input.clone());
        thread::spawn(move || watch(target, &of_thread, &input_of_thread, &ended));
        Self { started, input, _end: end }
    }

    /// A case begins.
    pub(crate) fn begin(&self, input: &[u8]) {
        let mut present = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        present.clear();
        present.extend_from_slice(input);
        self.started.fetch_add(1, Ordering::Relaxed);
    }
}

fn watch(target: &str, started: &AtomicU64, input: &Mutex<Vec<u8>>, ended: &Receiver<()>) {
    let mut before = started.load(Ordering::Relaxed);
    while ended.recv_timeout(STUCK) == Err(RecvTimeoutError::Timeout) {
        let now = started.load(Ordering::Relaxed);
        if now == before {
            let input = input.lock().unwrap_or_else(PoisonError::into_inner);
            let seconds = STUCK.as_secs();
            // The process ends, so no other report is possible.
            eprintln!(
                "fuzz target {target}: a case has not returned after {seconds} s: {}",
                input.escape_ascii()
            );
            std::process::abort();
        }
        before = now;
    }
}
