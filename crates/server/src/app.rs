//! The state that all handlers share.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use reflect_engine::Engine;
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::caller_use::CallerLimits;
use crate::feedback_use::FeedbackLimits;
use crate::limits::Limits;
use crate::operation_spans::SpanDestination;

/// Requests to the few routes without a key that use the database. They have slots of their own.
const PUBLIC_REQUESTS: usize = 32;
/// The longest time to wait for the database in a probe.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// A result of a probe is used again for this time, so that many probes cost one query.
const PROBE_AGE: Duration = Duration::from_millis(100);

/// Settings of the HTTP server.
#[derive(Debug, Clone, Default)]
pub struct ServerSettings {
    /// The path prefix under which a reverse proxy serves this server, such as `/reflect`. Empty for none.
    pub base_path: String,
    /// Whether the reverse proxy removes the base path from the paths that it forwards.
    pub base_path_stripped: bool,
    /// The public address of this server without a path, such as `https://reflect.example`. With `https`, cookies
    /// require TLS.
    pub public_url: Option<String>,
    /// Whether this server accepts connections with TLS.
    pub tls: bool,
    /// Host names that `/mcp` accepts besides `localhost`, IP addresses and the host of `public_url`.
    pub mcp_hosts: Vec<String>,
    /// The origins whose pages may send feedback, such as `https://app.example`. `*` allows all.
    pub feedback_origins: Vec<String>,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// The limits.
    pub limits: Limits,
    /// The metrics recorder, if metrics are enabled.
    pub metrics: Option<PrometheusHandle>,
    /// Where the spans of our own operations are sent, if they are.
    pub spans: Option<SpanDestination>,
}

impl ServerSettings {
    /// A path of this server, with the prefix of the reverse proxy.
    pub(crate) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.base_path)
    }

    /// Whether browsers use TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.public_url.as_ref().map_or(self.tls, |url| url.starts_with("https://"))
    }
}

/// What the database can do, according to a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseState {
    /// It accepts writes.
    ReadsAndWrites,
    /// It is a standby or set to read-only.
    ReadsOnly,
    /// It does not answer.
    Unavailable,
}

/// The state that all handlers share.
#[derive(Debug)]
pub struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: ServerSettings,
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    /// For routes without a key.
    pub(crate) public: Arc<Semaphore>,
    /// What each key and each member uses.
    pub(crate) callers: CallerLimits,
    /// What votes with feedback tokens use.
    pub(crate) feedback: FeedbackLimits,
    /// Cancelled before the server stops, to end event streams.
    pub(crate) closing: CancellationToken,
    /// Counted in kilobytes, because a semaphore has 32-bit permits.
    pub(crate) buffered_kilobytes: Arc<Semaphore>,
    /// Requests with large bodies: half of the processors work on them.
    pub(crate) large_bodies: Semaphore,
    draining: AtomicBool,
    /// The result of the last probe, and when it was made.
    pinged: Mutex<Option<(Instant, DatabaseState)>>,
    /// Held while metrics are collected: one scrape at a time.
    pub(crate) scraping: Mutex<()>,
}

impl App {
    /// Creates the state.
    pub fn new(engine: Engine, settings: ServerSettings) -> Arc<Self> {
        let limits = &settings.limits;
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Arc::new(Self {
            requests: Arc::new(Semaphore::new(limits.requests)),
            waiting: Arc::new(Semaphore::new(limits.waiting)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            public: Arc::new(Semaphore::new(PUBLIC_REQUESTS)),
            callers: CallerLimits::new(limits),
            feedback: FeedbackLimits::new(),
            closing: CancellationToken::new(),
            buffered_kilobytes: Arc::new(Semaphore::new(limits.buffered_bytes / 1024)),
            large_bodies: Semaphore::new(processors.div_ceil(2)),
            draining: AtomicBool::new(false),
            pinged: Mutex::new(None),
            scraping: Mutex::new(()),
            engine,
            settings,
        })
    }

    /// The engine, for background tasks.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Sends the spans of our own operations until `stop` is cancelled. Returns at once if nothing is configured.
    pub async fn export_spans(&self, stop: CancellationToken) {
        if let Some(destination) = &self.settings.spans {
            destination.export(stop).await;
        }
    }

    /// Makes `/ready` fail, to let a load balancer use other servers, and ends event streams.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.closing.cancel();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// What the database can do now. Callers without a key ask this, so concurrent calls share one query.
    pub(crate) async fn database_state(&self) -> DatabaseState {
        let mut pinged = self.pinged.lock().await;
        if let Some((at, state)) = *pinged
            && at.elapsed() < PROBE_AGE
        {
            return state;
        }
        let answered = tokio::time::timeout(PROBE_TIME, self.engine.store.ping()).await;
        let state = match answered {
            Ok(Ok(true)) => DatabaseState::ReadsAndWrites,
            Ok(Ok(false)) => DatabaseState::ReadsOnly,
            Ok(Err(_)) | Err(_) => DatabaseState::Unavailable,
        };
        *pinged = Some((Instant::now(), state));
        state
    }
}
