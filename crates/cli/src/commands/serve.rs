//! `reflect serve`: the server process from start to end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::CommandFactory;
use reflect_engine::{Engine, EngineSettings};
use reflect_server::telemetry::{self, LogFormat};
use reflect_server::{App, Limits, ServerSettings};
use reflect_store::{Fault, Store, StoreSettings, WorkSettings};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Arguments;
use crate::commands::{migrate, operator};
use crate::config::{self, Config, Role};
use crate::{environment, model_config};

pub(crate) async fn serve(config: Config) -> anyhow::Result<()> {
    config.check().map_err(anyhow::Error::msg)?;
    let app = prepare(&config).await?;
    warn_of_unknown_variables();
    // Before the first request can come in: until a signal is listened for, it ends the process at once.
    let signalled = listen_for_signals()?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {}; --listen takes another address", config.listen))?;
    let invite = async |engine: &Engine, address| match config.role {
        Role::Worker => Ok(()),
        Role::All | Role::Api => invite_the_first(engine, &config, address).await,
    };
    run(app, &config, listener, signalled, invite).await
}

/// All that a server is made of, before it listens.
pub(crate) async fn prepare(config: &Config) -> anyhow::Result<Arc<App>> {
    let format = match config.log_format {
        config::LogFormat::Json => LogFormat::Json,
        config::LogFormat::Text => LogFormat::Text,
    };
    telemetry::start_logging(format, &config.log).map_err(anyhow::Error::msg)?;
    let metrics = telemetry::start_metrics().map_err(anyhow::Error::msg)?;
    if config.migrate {
        let applied = Store::migrate(&migrate::settings(&config.database, &config.layout)).await?;
        tracing::info!(applied, "applied {applied} migrations");
    }
    let store = Store::connect(&StoreSettings {
        url: config.database.database_url.clone(),
        max_connections: config.database_connections,
        fault: fault(config),
    })
    .await?;
    store.check_writable()?;
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(
        version,
        restricted = store.is_restricted(),
        "Reflect {version}, connected to {}",
        store.versions()
    );

    let models = model_config::models(&config.reflection, &config.embedding)?;
    tracing::info!("models: {}", models.said());
    let settings = EngineSettings {
        bootstrap_token: config.bootstrap_token.clone(),
        learning: config.reflection.learning(),
    };
    let engine = Engine::new(store, models, settings);
    Ok(App::new(
        engine,
        ServerSettings {
            base_path: config.base_path.clone(),
            public_url: config.public_url.clone(),
            mcp_hosts: config.mcp_hosts.clone(),
            limits: limits(config),
            metrics: Some(metrics),
        },
    ))
}

/// A variable with a slip in its name sets nothing, which nobody would notice.
fn warn_of_unknown_variables() {
    let unknown = environment::unknown_settings(&Arguments::command());
    if !unknown.is_empty() {
        tracing::warn!(
            "no setting has the name {}, so it does nothing; `reflect configuration` lists those that there are",
            unknown.join(" or ")
        );
    }
}

/// Serves until it is told to stop, and ends in order. `ready` is run once requests are answered.
pub(crate) async fn run(
    app: Arc<App>,
    config: &Config,
    listener: TcpListener,
    until: impl Future<Output = ()>,
    ready: impl AsyncFnOnce(&Engine, SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    let (engine, until_stopped) = (app.engine().clone(), stop.clone());
    tasks.spawn(async move { engine.carry_news(until_stopped).await });
    if config.role != Role::Api {
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        tasks.spawn(async move { engine.keep_up(until_stopped).await });
        let (engine, until_stopped) = (app.engine().clone(), stop.clone());
        let work = WorkSettings {
            concurrency: usize::from(config.reflection.learners),
            grace: Duration::from_secs(config.drain_seconds),
        };
        tasks.spawn(async move { engine.work(&work, until_stopped).await });
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
        tracing::info!(%address, "listening on http://{address}{}", config.base_path);
        until.await;
    }
    tracing::info!("stopping: letting requests under way finish");
    app.start_draining();
    tokio::time::sleep(Duration::from_secs(config.drain_delay_seconds)).await;
    stop.cancel();
    serving.await?;
    tasks.close();
    tasks.wait().await;
    app.engine().store().close().await;
    tracing::info!("stopped");
    begun.map(drop)
}

/// While nobody can sign in, whoever reads the log may be the first.
async fn invite_the_first(engine: &Engine, config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    if let Some(link) = engine.setup_link(&operator()).await? {
        let origin = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        tracing::warn!(
            "nobody can sign in to the console yet; the first admin sets it up, once, within a day, at {origin}{}/setup?t={}",
            config.base_path,
            link.secret
        );
    }
    Ok(())
}

fn limits(config: &Config) -> Limits {
    const MB: usize = 1024 * 1024;
    Limits {
        body_bytes: usize::from(config.max_body_mb) * MB,
        buffered_bytes: config.max_buffered_mb as usize * MB,
        requests: config.max_requests as usize,
        request_time: Duration::from_secs(config.request_seconds),
        ..Limits::default()
    }
}

/// Listens from now on; what it returns is ready when the process was asked to end.
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

#[cfg(not(feature = "faults"))]
const fn fault(_: &Config) -> Option<Fault> {
    None
}

#[cfg(feature = "faults")]
fn fault(config: &Config) -> Option<Fault> {
    config.fault.map(|name| match name {
        config::FaultName::AckBeforeCommit => Fault::AcknowledgeBeforeCommit,
        config::FaultName::UtilityOutsideTransaction => Fault::UtilityOutsideTransaction,
    })
}
