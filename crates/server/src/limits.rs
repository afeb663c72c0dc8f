//! Limits of the server, and of each of its callers.

use std::time::Duration;

/// Limits of each API key and each member. 0 disables a limit.
#[derive(Debug, Clone, Copy)]
pub struct CallerQuota {
    /// The largest number of requests in progress, including responses that are being sent.
    pub requests: usize,
    /// The largest number of requests that wait for learning.
    pub waiting: usize,
    /// The largest number of open event streams.
    pub streams: usize,
    /// The largest number of requests per second. Twice as many may come at once.
    pub per_second: u32,
}

impl Default for CallerQuota {
    fn default() -> Self {
        Self { requests: 128, waiting: 64, streams: 64, per_second: 5000 }
    }
}

/// Limits of the server. Requests beyond them are rejected.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest request body, after decompression.
    pub body_bytes: usize,
    /// The largest total size of bodies in memory, in bytes: of requests, and of responses over 64 kB. One key or
    /// member can use half of it.
    pub buffered_bytes: usize,
    /// How long a client may take to send a body. With a key, it gets another second for each 64 kB.
    pub body_time: Duration,
    /// The largest number of requests in progress.
    pub requests: usize,
    /// The largest number of requests that wait for learning.
    pub waiting: usize,
    /// The longest time for a request, without the time it waits for learning.
    pub request_time: Duration,
    /// The largest number of open event streams.
    pub streams: usize,
    /// The limits of each key and each member.
    pub per_caller: CallerQuota,
}

impl Limits {
    /// How much memory one caller may use for bodies: at least one body of the largest size.
    pub(crate) fn bytes_per_caller(&self) -> usize {
        (self.buffered_bytes / 2).max(self.body_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 32 * 1024 * 1024,
            buffered_bytes: 256 * 1024 * 1024,
            body_time: Duration::from_secs(5),
            requests: 256,
            waiting: 1024,
            request_time: Duration::from_secs(30),
            streams: 1024,
            per_caller: CallerQuota::default(),
        }
    }
}
