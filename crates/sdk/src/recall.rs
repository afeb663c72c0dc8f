//! Retrieval that never stops a run: without an answer in time there are no memories, and the reason.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After a failure the server is left alone for this long, so that every run of a busy agent does not wait for the
/// same deadline.
const LEFT_ALONE: Duration = Duration::from_secs(10);
const SAID_EVERY: Duration = Duration::from_secs(60);

/// How retrieval has been going.
#[derive(Default)]
pub(crate) struct Recall(Mutex<Memo>);

#[derive(Default)]
struct Memo {
    down_since: Option<Instant>,
    said_at: Option<Instant>,
}

impl Recall {
    /// Whether the server is to be left alone for now.
    pub(crate) fn is_paused(&self, now: Instant) -> bool {
        self.with(|memo| memo.down_since.is_some_and(|since| now.duration_since(since) < LEFT_ALONE))
    }

    /// The server did not answer.
    pub(crate) fn went_down(&self, now: Instant) {
        self.with(|memo| memo.down_since = Some(now));
    }

    /// The server answered.
    pub(crate) fn is_up(&self) {
        self.with(|memo| memo.down_since = None);
    }

    /// Whether it is time to complain: a log line for every run would bury the rest.
    pub(crate) fn may_say(&self, now: Instant) -> bool {
        self.with(|memo| {
            let due = memo.said_at.is_none_or(|at| now.duration_since(at) >= SAID_EVERY);
            if due {
                memo.said_at = Some(now);
            }
            due
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Memo) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_down_is_left_alone_for_a_while() {
        let (recall, now) = (Recall::default(), Instant::now());
        assert!(!recall.is_paused(now));

        recall.went_down(now);
        assert!(recall.is_paused(now + Duration::from_secs(9)));
        assert!(!recall.is_paused(now + Duration::from_secs(10)));

        recall.is_up();
        assert!(!recall.is_paused(now + Duration::from_secs(1)));
    }

    #[test]
    fn trouble_is_said_once_a_minute() {
        let (recall, now) = (Recall::default(), Instant::now());
        let said: Vec<bool> =
            [0, 1, 59, 60, 61].iter().map(|s| recall.may_say(now + Duration::from_secs(*s))).collect();
        assert_eq!(said, [true, false, false, true, false]);
    }
}
