//! `reflect serve`: the server process from start to end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use reflect_engine::{Engine, EngineSettings, SignInProvider, WebhookSettings};
use reflect_outbound::OutboundProxy;
use reflect_server::telemetry::{self, LogFormat};
use reflect_server::{App, Listener, ServerSettings, Tls};
use reflect_store::{Store, StoreError, StoreFault, StoreSettings, WorkSettings};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::models;
use crate::config::oidc::{self, OidcContext};
use crate::config::{self, Config, Role};
use crate::environment;
use crate::failure::Failure;
use crate::operator::operator;

/// How often the files of the certificate are compared.
const CERTIFICATE_CHECK: Duration = Duration::from_secs(60);

pub(crate) async fn serve(config: Config, definition: &clap::Command) -> anyhow::Result<()> {
    config.check().map_err(anyhow::Error::msg)?;
    let tls = config.tls.load().map_err(anyhow::Error::msg)?;
    let app = prepare(&config).await?;
    warn_about_unknown_variables(definition);
    // Before the first request arrives: without a handler, a signal would end the process at once.
    let signalled = listen_for_signals()?;
    let socket = TcpListener::bind(config.listen).await.with_context(|| {
        format!("cannot listen on {}; choose another address with --listen", config.listen)
    })?;
    warn_without_tls(&config);
    let listener = Listener { tls, ..listener(&config, socket) };
    let invite_admin = async |engine: &Engine, address| match config.role {
        Role::Worker => Ok(()),
        Role::All | Role::Api => invite_first_admin(engine, &config, address).await,
    };
    run(app, &config, listener, signalled, invite_admin).await
}

/// Builds everything that the server needs, before it listens.
pub(crate) async fn prepare(config: &Config) -> anyhow::Result<Arc<App>> {
    let format = match config.log_format {
        config::LogFormat::Json => LogFormat::Json,
        config::LogFormat::Text => LogFormat::Text,
    };
    let spans = config.spans.queue();
    telemetry::start_logging(format, &config.log, spans.as_ref()).map_err(anyhow::Error::msg)?;
    let metrics = telemetry::start_metrics().map_err(anyhow::Error::msg)?;
    if config.migrate {
        let applied = Store::migrate(&config.layout.migration_settings(&config.database)).await?;
        tracing::info!(applied, "applied {applied} migrations");
    }
    let store = Store::connect(&StoreSettings {
        direct_url: config.database.direct_database_url.clone(),
        replica: config.replica.settings(),
        encryption: config.encryption.keys()?,
        fault: fault(config),
        ..StoreSettings::new(config.database.database_url.clone(), config.database_connections)
    })
    .await?;
    store.server().check_writable().map_err(StoreError::from)?;
    if config.require_restricted_role {
        store.server().check_restricted().map_err(StoreError::from)?;
    }
    let warnings = [store.server().role_warning(), config.audit.warning(), config.encryption.warning()];
    for warning in warnings.into_iter().flatten() {
        tracing::warn!("{warning}");
    }
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(
        version,
        restricted = store.server().is_restricted(),
        "Reflect {version}, connected to {}",
        store.server().versions()
    );

    let proxy = config.outbound.proxy()?;
    let models = models::models(&config.reflection, &config.embedding, proxy.as_ref())?;
    tracing::info!("models: {}", models.describe());
    let settings = EngineSettings {
        bootstrap_token: config.bootstrap_token.clone(),
        learning: config.reflection.learning(),
        sign_in_providers: sign_in_providers(config, proxy.as_ref())?,
        key_lifetime: config.keys.lifetime(),
        audit_key: config.audit.key()?.map(Arc::new),
        webhooks: webhooks(config, proxy.as_ref()),
    };
    let engine = Engine::new(store, models, settings);
    Ok(App::new(
        engine,
        ServerSettings {
            base_path: config.base_path.clone(),
            base_path_stripped: config.base_path_stripped,
            tls: config.tls.is_configured(),
            public_url: config.public_url.clone(),
            mcp_hosts: config.mcp_hosts.clone(),
            feedback_origins: config.feedback_origins.clone(),
            trusted_proxies: config.trusted_proxies.clone(),
            limits: config.limits.limits(),
            metrics: Some(metrics),
            spans: config.spans.destination(spans, proxy.as_ref())?,
        },
    ))
}

/// How webhooks are sent. `None` on a system without certificates, which can do everything else.
fn webhooks(config: &Config, proxy: Option<&OutboundProxy>) -> Option<WebhookSettings> {
    let console_url = config.public_url.as_ref().map(|url| format!("{url}{}", config.base_path));
    match config.outbound.webhook_client(proxy) {
        Ok(client) => Some(WebhookSettings { client, console_url }),
        Err(error) => {
            tracing::warn!("webhooks cannot be created or sent: {error:#}");
            None
        }
    }
}

/// The identity providers that members can sign in with.
fn sign_in_providers(config: &Config, proxy: Option<&OutboundProxy>) -> Result<Vec<SignInProvider>, Failure> {
    let (Some(path), Some(public_url)) = (&config.oidc_file, &config.public_url) else {
        return Ok(Vec::new());
    };
    let context = OidcContext { public_url, base_path: &config.base_path, proxy };
    let providers = oidc::providers(path, &context)?;
    for provider in &providers {
        tracing::info!("members can sign in with {} at {}", provider.client.name(), provider.client.issuer());
    }
    Ok(providers)
}

/// A typo in the name of a variable would otherwise go unnoticed.
fn warn_about_unknown_variables(definition: &clap::Command) {
    let unknown = environment::unknown_settings(definition);
    if !unknown.is_empty() {
        tracing::warn!(
            "unknown environment variable {}: it is ignored; run `reflect configuration` for the list of settings",
            unknown.join(", ")
        );
    }
}

/// The socket with the limits of the configuration, without TLS.
pub(crate) fn listener(config: &Config, socket: TcpListener) -> Listener {
    let connections = config.limits.max_connections as usize;
    Listener { socket, connections, trusted_proxies: config.trusted_proxies.clone(), tls: None }
}

/// Keys and sessions would be readable on the network.
fn warn_without_tls(config: &Config) {
    let is_secure = config.tls.is_configured()
        || config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
    if !is_secure && !config.listen.ip().is_loopback() {
        tracing::warn!(
            "the server listens on {} without TLS: keys and sessions can be read on the network; set \
             --tls-certificate and --tls-key, or use a proxy with TLS and set --public-url https://…",
            config.listen
        );
    }
}

/// Reads the certificate again after SIGHUP, and when a file has changed.
async fn keep_certificate(tls: Tls, until_stopped: CancellationToken) {
    let mut asked = match signal(SignalKind::hangup()) {
        Ok(asked) => asked,
        Err(error) => return tracing::warn!(%error, "the certificate is not reloaded"),
    };
    let mut ticks = tokio::time::interval(CERTIFICATE_CHECK);
    loop {
        let wanted = tokio::select! {
            () = until_stopped.cancelled() => return,
            _ = asked.recv() => true,
            _ = ticks.tick() => tls.has_changed(),
        };
        if wanted {
            match tls.reload() {
                Ok(()) => tracing::info!("the certificate was read again"),
                Err(error) => tracing::error!("the old certificate stays in use: {error}"),
            }
        }
    }
}

/// Serves until `until` resolves, then shuts down in order. Runs `ready` once requests are answered.
pub(crate) async fn run(
    app: Arc<App>,
    config: &Config,
    listener: Listener,
    until: impl Future<Output = ()>,
    ready: impl AsyncFnOnce(&Engine, SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let address = listener.socket.local_addr()?;
    let scheme = if listener.tls.is_some() { "https" } else { "http" };
    let stop = CancellationToken::new();
    // Denied requests are counted until the last request is answered.
    let served = CancellationToken::new();
    let tasks = TaskTracker::new();
    if let Some(tls) = listener.tls.clone() {
        tasks.spawn(keep_certificate(tls, stop.clone()));
    }
    let (engine, until_stopped) = (app.engine().clone(), stop.clone());
    tasks.spawn(async move { engine.events.forward_notifications(until_stopped).await });
    let (exporting, until_served) = (app.clone(), served.clone());
    tasks.spawn(async move { exporting.export_spans(until_served).await });
    let (engine, until_served) = (app.engine().clone(), served.clone());
    tasks.spawn(async move { engine.denials.run(until_served).await });
    if config.role != Role::Api {
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        tasks.spawn(async move { engine.maintenance.run(until_stopped).await });
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        tasks.spawn(async move { engine.audit.run(until_stopped).await });
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        tasks.spawn(async move { engine.vector_graphs.run(until_stopped).await });
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        tasks.spawn(async move { engine.webhook_sender.run(until_stopped).await });
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        let work = WorkSettings {
            concurrency: usize::from(config.reflection.learners),
            grace: Duration::from_secs(config.drain_seconds),
            project_learners: config.reflection.project_learners,
            project_judges: config.reflection.project_judges,
        };
        tasks.spawn(async move { engine.worker.run(&work, until_stopped).await });
    }
    let service = match config.role {
        Role::Worker => reflect_server::system_service(app.clone()),
        Role::All | Role::Api => reflect_server::service(app.clone()),
    };
    let drain = Duration::from_secs(config.drain_seconds);
    let serving = tasks.spawn(reflect_server::serve(listener, service, stop.clone(), drain));
    let mut until = pin!(until);
    let begun = tokio::select! {
        begun = ready(app.engine(), address) => begun.map(|()| true),
        () = &mut until => Ok(false),
    };
    if matches!(begun, Ok(true)) {
        tracing::info!(%address, "listening on {scheme}://{address}{}", config.base_path);
        until.await;
    }
    tracing::info!("stopping: waiting for requests in flight");
    app.start_draining();
    tokio::time::sleep(Duration::from_secs(config.drain_delay_seconds)).await;
    stop.cancel();
    serving.await?;
    served.cancel();
    tasks.close();
    tasks.wait().await;
    app.engine().store.close().await;
    tracing::info!("stopped");
    begun.map(drop)
}

/// In a new installation, the log contains a link that creates the first admin. If there are keys, the installation may
/// use the API only, and a link in every log would be a risk for nothing.
async fn invite_first_admin(engine: &Engine, config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    if engine.store.catalogue().has_keys().await? {
        if !engine.store.members().any().await? {
            tracing::info!(
                "the console has no member; `reflect members link --name NAME --role admin` prints a link for the \
                 first admin"
            );
        }
        return Ok(());
    }
    if let Some(link) = engine.members.create_setup_link(&operator()).await? {
        let scheme = if config.tls.is_configured() { "https" } else { "http" };
        let origin = config.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        tracing::warn!(
            "the console has no admin yet; create the first admin within a day at {origin}{}/setup?t={} (works once)",
            config.base_path,
            link.secret
        );
    }
    Ok(())
}

/// Installs signal handlers. The returned future resolves when the process is asked to end.
pub(crate) fn listen_for_signals() -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(debug_assertions))]
const fn fault(_: &Config) -> Option<StoreFault> {
    None
}

#[cfg(debug_assertions)]
fn fault(config: &Config) -> Option<StoreFault> {
    if let Some(defence) = config.without_defence {
        tracing::warn!(?defence, "this test build runs without a defence");
        defence.switch_off();
    }
    config.fault.map(|name| match name {
        config::FaultName::AckBeforeCommit => StoreFault::AcknowledgeBeforeCommit,
        config::FaultName::UtilityOutsideTransaction => StoreFault::UtilityOutsideTransaction,
        config::FaultName::LoseRepeatedJobs => StoreFault::LoseRepeatedJobs,
        config::FaultName::ClaimOldestJobs => StoreFault::ClaimOldestJobs,
        config::FaultName::NoReceiptWait => StoreFault::NoReceiptWait,
        config::FaultName::ForgetEarlySignals => StoreFault::ForgetEarlySignals,
        config::FaultName::StageSpansAgain => StoreFault::StageSpansAgain,
        config::FaultName::ForgetEndedRuns => StoreFault::ForgetEndedRuns,
        config::FaultName::EventsOutsideTransaction => StoreFault::EventsOutsideTransaction,
    })
}
