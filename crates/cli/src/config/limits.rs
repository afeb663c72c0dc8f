//! Settings that bound what requests can use.

use std::time::Duration;

use clap::Args;
use reflect_server::{CallerQuota, Limits};

/// The limits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitsConfig {
    /// The maximum number of concurrent requests. Further requests are rejected with Retry-After.
    #[arg(long, env = "REFLECT_MAX_REQUESTS", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_requests: u32,

    /// The maximum size of a request body after decompression, in megabytes.
    #[arg(long, env = "REFLECT_MAX_BODY_MB", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    max_body_mb: u16,

    /// The maximum memory for all request bodies and large responses, in megabytes. One key can use half of it.
    #[arg(long, env = "REFLECT_MAX_BUFFERED_MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_buffered_mb: u32,

    /// The timeout of a request, in seconds.
    #[arg(long, env = "REFLECT_REQUEST_SECONDS", default_value_t = 30)]
    request_seconds: u64,

    /// The maximum number of open connections. One address can have a quarter of them.
    #[arg(long, env = "REFLECT_MAX_CONNECTIONS", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub(crate) max_connections: u32,

    /// The maximum number of concurrent requests of one key or member. 0 disables the limit.
    #[arg(long, env = "REFLECT_KEY_REQUESTS", default_value_t = 128)]
    key_requests: u32,

    /// The maximum number of requests per second of one key or member. Twice as many may come at once. 0 disables the
    /// limit.
    #[arg(long, env = "REFLECT_KEY_REQUESTS_PER_SECOND", default_value_t = 5000)]
    key_requests_per_second: u32,

    /// The maximum number of requests of one key or member that wait for learning. 0 disables the limit.
    #[arg(long, env = "REFLECT_KEY_WAITING", default_value_t = 64)]
    key_waiting: u32,

    /// The maximum number of open event streams of one key or member. 0 disables the limit.
    #[arg(long, env = "REFLECT_KEY_STREAMS", default_value_t = 64)]
    key_streams: u32,
}

impl LimitsConfig {
    /// Rejects combinations that cannot work.
    pub(crate) fn check(&self) -> Result<(), String> {
        if u32::from(self.max_body_mb) > self.max_buffered_mb {
            return Err(format!(
                "--max-buffered-mb ({}) must be at least --max-body-mb ({})",
                self.max_buffered_mb, self.max_body_mb
            ));
        }
        Ok(())
    }

    pub(crate) fn limits(&self) -> Limits {
        const MB: usize = 1024 * 1024;
        Limits {
            body_bytes: usize::from(self.max_body_mb) * MB,
            buffered_bytes: self.max_buffered_mb as usize * MB,
            requests: self.max_requests as usize,
            request_time: Duration::from_secs(self.request_seconds),
            per_caller: CallerQuota {
                requests: self.key_requests as usize,
                waiting: self.key_waiting as usize,
                streams: self.key_streams as usize,
                per_second: self.key_requests_per_second,
            },
            ..Limits::default()
        }
    }
}
