//! The state that all handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use reflect_engine::Engine;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Limits of the server. Requests beyond them are rejected.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest request body, after decompression.
    pub body_bytes: usize,
    /// The largest total size of request bodies in memory, in bytes.
    pub buffered_bytes: usize,
    /// The largest number of requests in progress.
    pub requests: usize,
    /// The largest number of requests that wait for learning.
    pub waiting: usize,
    /// The longest time for a request, without the time it waits for learning.
    pub request_time: Duration,
    /// The largest number of open event streams.
    pub streams: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 32 * 1024 * 1024,
            buffered_bytes: 256 * 1024 * 1024,
            requests: 256,
            waiting: 1024,
            request_time: Duration::from_secs(30),
            streams: 1024,
        }
    }
}

/// Settings of the HTTP server.
#[derive(Debug, Clone, Default)]
pub struct ServerSettings {
    /// The path prefix under which a reverse proxy serves this server, such as `/reflect`. Empty for none.
    pub base_path: String,
    /// The public address of this server without a path, such as `https://reflect.example`. With `https`, cookies
    /// require TLS.
    pub public_url: Option<String>,
    /// Host names that `/mcp` accepts besides `localhost`, IP addresses and the host of `public_url`.
    pub mcp_hosts: Vec<String>,
    /// The limits.
    pub limits: Limits,
    /// The metrics recorder, if metrics are enabled.
    pub metrics: Option<PrometheusHandle>,
}

impl ServerSettings {
    /// A path of this server, with the prefix of the reverse proxy.
    pub(crate) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.base_path)
    }

    /// Whether browsers use TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}

/// The state that all handlers share.
#[derive(Debug)]
pub struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: ServerSettings,
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    /// Cancelled before the server stops, to end event streams.
    pub(crate) closing: CancellationToken,
    /// Counted in kilobytes, because a semaphore has 32-bit permits.
    pub(crate) buffered_kilobytes: Arc<Semaphore>,
    draining: AtomicBool,
}

impl App {
    /// Creates the state.
    pub fn new(engine: Engine, settings: ServerSettings) -> Arc<Self> {
        let limits = &settings.limits;
        Arc::new(Self {
            requests: Arc::new(Semaphore::new(limits.requests)),
            waiting: Arc::new(Semaphore::new(limits.waiting)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            closing: CancellationToken::new(),
            buffered_kilobytes: Arc::new(Semaphore::new(limits.buffered_bytes / 1024)),
            draining: AtomicBool::new(false),
            engine,
            settings,
        })
    }

    /// The engine, for background tasks.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Makes `/ready` fail, to let a load balancer use other servers, and ends event streams.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.closing.cancel();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
