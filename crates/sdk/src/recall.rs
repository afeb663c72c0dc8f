//! Pauses retrieval after a failure, so an unavailable server does not delay every run.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The pause after a failure. Without it, each run of a busy agent would wait for the timeout.
const PAUSE: Duration = Duration::from_secs(10);
const WARN_INTERVAL: Duration = Duration::from_secs(60);

/// The state of retrieval.
#[derive(Default)]
pub(crate) struct Recall(Mutex<RecallState>);

#[derive(Default)]
struct RecallState {
    down_since: Option<Instant>,
    warned_at: Option<Instant>,
}

impl Recall {
    /// Whether retrieval is paused.
    pub(crate) fn is_paused(&self, now: Instant) -> bool {
        self.with(|state| state.down_since.is_some_and(|since| now.duration_since(since) < PAUSE))
    }

    /// The server did not respond.
    pub(crate) fn record_failure(&self, now: Instant) {
        self.with(|state| state.down_since = Some(now));
    }

    /// The server responded.
    pub(crate) fn record_success(&self) {
        self.with(|state| state.down_since = None);
    }

    /// Whether to log a warning: at most one per interval.
    pub(crate) fn should_warn(&self, now: Instant) -> bool {
        self.with(|state| {
            let due = state.warned_at.is_none_or(|at| now.duration_since(at) >= WARN_INTERVAL);
            if due {
                state.warned_at = Some(now);
            }
            due
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut RecallState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_down_is_left_alone_for_a_while() {
        let (recall, now) = (Recall::default(), Instant::now());
        assert!(!recall.is_paused(now));

        recall.record_failure(now);
        assert!(recall.is_paused(now + Duration::from_secs(9)));
        assert!(!recall.is_paused(now + Duration::from_secs(10)));

        recall.record_success();
        assert!(!recall.is_paused(now + Duration::from_secs(1)));
    }

    #[test]
    fn trouble_is_said_once_a_minute() {
        let (recall, now) = (Recall::default(), Instant::now());
        let said: Vec<bool> =
            [0, 1, 59, 60, 61].iter().map(|s| recall.should_warn(now + Duration::from_secs(*s))).collect();
        assert_eq!(said, [true, false, false, true, false]);
    }
}
