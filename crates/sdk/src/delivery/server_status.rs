//! The status of the server, and when to send again.

use std::time::{Duration, Instant};

use crate::wire::{MAX_RETRY_AFTER, backoff};

/// A denied client stays denied until its configuration is fixed.
const DENIED_PAUSE: Duration = Duration::from_secs(30);

/// The status of the server after the last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ServerStatus {
    #[default]
    Available,
    /// The server responds, but cannot process the request now.
    Busy,
    /// The server does not respond.
    Unreachable,
    /// The server rejects this client. Its configuration must be fixed.
    Denied,
}

/// Counts consecutive failures and computes the wait after each.
#[derive(Debug, Default)]
pub(super) struct RetryState {
    pub(super) status: ServerStatus,
    pub(super) not_before: Option<Instant>,
    failures: u32,
}

impl RetryState {
    /// A request succeeded.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// A request failed. `retry_after` is the wait that the server requests.
    pub(super) fn record_failure(
        &mut self,
        status: ServerStatus,
        now: Instant,
        retry_after: Option<Duration>,
        jitter: f64,
    ) {
        self.status = status;
        let pause = if status == ServerStatus::Denied {
            DENIED_PAUSE
        } else {
            let pause = backoff(self.failures, jitter);
            self.failures = self.failures.saturating_add(1);
            pause.max(retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
        };
        self.not_before = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_an_attempt_succeeds() {
        let (mut retry, now) = (RetryState::default(), Instant::now());
        let mut pause = |status, asked| {
            retry.record_failure(status, now, asked, 1.0);
            retry.not_before.unwrap() - now
        };

        assert_eq!(pause(ServerStatus::Unreachable, None), Duration::from_millis(500));
        assert_eq!(pause(ServerStatus::Busy, None), Duration::from_secs(1));
        assert_eq!(pause(ServerStatus::Busy, Some(Duration::from_secs(20))), Duration::from_secs(20));
        assert_eq!(pause(ServerStatus::Busy, Some(Duration::from_secs(900))), Duration::from_secs(60));
        assert_eq!(pause(ServerStatus::Denied, None), DENIED_PAUSE);
        retry.reset();
        retry.record_failure(ServerStatus::Unreachable, now, None, 1.0);
        assert_eq!(retry.not_before.unwrap() - now, Duration::from_millis(500));
    }
}
