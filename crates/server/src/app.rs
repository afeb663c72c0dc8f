//! What a request may reach.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use reflect_engine::Engine;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How much the server takes on before it sends callers away.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest request body, after decompression.
    pub body_bytes: usize,
    /// The most bytes of request bodies held in memory at one time.
    pub buffered_bytes: usize,
    /// The most requests worked on at one time.
    pub requests: usize,
    /// The most requests that may be waiting for a trace to settle.
    pub waiting: usize,
    /// How long a request may take, waiting aside.
    pub request_time: Duration,
    /// The most streams of events that may be open.
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

/// What the doors are told.
#[derive(Debug, Clone, Default)]
pub struct ServerSettings {
    /// The path under which a reverse proxy shows this server, such as `/reflect`; empty for none.
    pub base_path: String,
    /// The address under which people see this server, such as `https://reflect.example`, without a path. It
    /// decides whether cookies are for TLS alone.
    pub public_url: Option<String>,
    /// Names by which agents reach the tools at `/mcp`, beside `localhost`, addresses and the host of `public_url`.
    pub mcp_hosts: Vec<String>,
    /// How much is taken on.
    pub limits: Limits,
    /// Where metrics are collected, when they are.
    pub metrics: Option<PrometheusHandle>,
}

impl ServerSettings {
    /// A path of this server as people see it.
    pub(crate) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.base_path)
    }

    /// Whether people come by TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}

/// Everything that handlers share.
#[derive(Debug)]
pub struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: ServerSettings,
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    /// Cancelled when the server is about to stop, so that streams end by themselves.
    pub(crate) closing: CancellationToken,
    /// Counted in kilobytes, because a semaphore counts in 32 bits.
    pub(crate) buffered_kilobytes: Arc<Semaphore>,
    /// The API description as this server shows it, made when it is first asked for.
    pub(crate) description: OnceLock<String>,
    draining: AtomicBool,
}

impl App {
    /// An application over this engine.
    pub fn new(engine: Engine, settings: ServerSettings) -> Arc<Self> {
        let limits = &settings.limits;
        Arc::new(Self {
            requests: Arc::new(Semaphore::new(limits.requests)),
            waiting: Arc::new(Semaphore::new(limits.waiting)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            closing: CancellationToken::new(),
            buffered_kilobytes: Arc::new(Semaphore::new(limits.buffered_bytes / 1024)),
            description: OnceLock::new(),
            draining: AtomicBool::new(false),
            engine,
            settings,
        })
    }

    /// The engine, for the tasks that run beside the doors.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// From now on `/ready` says no, so that a load balancer looks elsewhere.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.closing.cancel();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
