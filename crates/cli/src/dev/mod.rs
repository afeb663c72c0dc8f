//! `reflect dev`: a development server with its own Postgres as a child process, the local embedder, a project with an API
//! key, and a sign-in link for the console. `serve` does the serving; this module chooses its settings.

pub(crate) mod child_process;
pub(crate) mod foreign_package;
mod postgres;
mod postgres_programs;
mod python_packages;
mod reflector;
mod welcome;

use std::io::{self, IsTerminal};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, FromArgMatches};
use reflect_engine::Engine;
use reflect_types::{MemberName, MemberRole, ProjectSlug};
use tokio::net::TcpListener;

use self::foreign_package::ForeignPackage;
use self::postgres::{Cluster, Running};
use self::postgres_programs::SearchPlaces;
use self::reflector::Reflector;
use self::welcome::Welcome;
use crate::config::dev::DevConfig;
use crate::config::embedder::EmbedderName;
use crate::config::tls::TlsConfig;
use crate::config::{Config, KeyConfig, LogFormat, Role};
use crate::demo;
use crate::failure::{Failure, Kind};
use crate::local_server::connection;
use crate::local_server::folder::Folder;
use crate::local_server::postgres_account::PostgresAccount;
use crate::operator::{DEFAULT_SCOPES, operator};
use crate::output::print_text;
use crate::serve;

const PROJECT: &str = "default";
const MEMBER: &str = "admin";
/// Browsers keep connections open for change notifications; do not wait for them.
const DRAIN_SECONDS: u64 = 2;
/// Few, because a first start with fewer tables is faster.
const HASH_PARTITIONS: u16 = 4;
const PORTS_TRIED: u16 = 100;

/// Runs a development server until a stop signal.
pub(crate) async fn run(config: DevConfig) -> anyhow::Result<()> {
    let began = Instant::now();
    // First, or a signal during the start would end the process and leave its parts behind.
    let signalled = pin!(serve::listen_for_signals()?);
    let account = PostgresAccount::detect()?;
    let folder = match config.ephemeral {
        true => Folder::temporary()?,
        false => Folder::open(config.folder.folder(account.is_other())?, account.is_other())?,
    };
    let outcome = run_in(&folder, account, &config, signalled, began).await;
    if config.ephemeral {
        folder.remove()?;
    }
    outcome
}

async fn run_in(
    folder: &Folder,
    account: PostgresAccount,
    config: &DevConfig,
    signalled: Pin<&mut impl Future<Output = ()>>,
    began: Instant,
) -> anyhow::Result<()> {
    let _lock = folder.lock()?;
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let packages = python_packages::package_folders(&program);
    let reflector = reflector::choose(config).await?;
    let settings = settings(config, folder, &packages, &reflector)?;
    let programs = postgres_programs::find(&SearchPlaces {
        setting: config.postgres_bin.as_deref(),
        search_path: config.surroundings.search_path.as_deref(),
        packages: &packages,
        data_version: folder.data_version(),
    })?;
    let programs = programs.accessible_to(account, &folder.programs())?;
    if let Some(foreign) = ForeignPackage::find() {
        eprintln!("  Warning: {}. To correct this, {}.\n", foreign.message(), foreign.fix());
    }
    if io::stderr().is_terminal() {
        eprintln!("  Starting Reflect and its Postgres. The first start takes a few seconds …");
    }
    let cluster = Cluster { programs, folder, account, ephemeral: config.ephemeral };
    cluster.stop_leftover()?;
    cluster.create()?;
    let mut postgres = cluster.start().await?;
    let outcome = serve_on(&mut postgres, folder, config, settings, &reflector, signalled, began).await;
    postgres.stop().await?;
    outcome
}

async fn serve_on(
    postgres: &mut Running,
    folder: &Folder,
    config: &DevConfig,
    settings: Config,
    reflector: &Reflector,
    signalled: Pin<&mut impl Future<Output = ()>>,
    began: Instant,
) -> anyhow::Result<()> {
    let app = serve::prepare(&settings).await?;
    let listener = listen(config.port).await?;
    let address = listener.local_addr()?;
    let port_in_use = Some(config.port).filter(|port| *port != 0 && *port != address.port());
    let mut postgres_failure = Ok(());
    let until = async {
        tokio::select! {
            () = signalled => {}
            ended = postgres.ended() => postgres_failure = ended,
        }
    };
    let greet = async |engine: &Engine, _| {
        let base_url = format!("http://{address}");
        let project: ProjectSlug = PROJECT.parse()?;
        let known =
            connection::keep(&folder.connection(), &base_url, engine, &project, DEFAULT_SCOPES).await?;
        let link = console_link(engine, &base_url).await?;
        let welcome = Welcome {
            connection: &known,
            opened: welcome::open(config, &link),
            link: &link,
            folder: folder.path(),
            ephemeral: config.ephemeral,
            demo: config.demo,
            non_default_folder: config.ephemeral || config.folder.dev_folder.is_some(),
            reflector: &reflector.description,
            took: began.elapsed(),
            port_in_use,
        };
        print_text(&welcome.text())?;
        if config.demo {
            demo::seed_here(folder, &base_url, engine).await?;
        }
        Ok(())
    };
    let listener = serve::listener(&settings, listener);
    serve::run(app, &settings, listener, until, greet).await?;
    postgres_failure
}

/// The settings of `serve` from its variables, with the overrides of `reflect dev`.
fn settings(
    config: &DevConfig,
    folder: &Folder,
    packages: &[PathBuf],
    reflector: &Reflector,
) -> anyhow::Result<Config> {
    let url = folder.database_url();
    // A placeholder: other settings require a provider. The chosen one is set below.
    let arguments = ["reflect dev", "--database-url", &url, "--text-provider", "openai"];
    let matches = Config::augment_args(clap::Command::new("reflect dev")).try_get_matches_from(arguments);
    let matches = matches.map_err(|error| unreadable(&error))?;
    let mut settings = Config::from_arg_matches(&matches)?;
    settings.database.direct_database_url = None;
    settings.replica.read_database_url = None;
    settings.migrate = true;
    settings.role = Role::All;
    settings.base_path = String::new();
    settings.tls = TlsConfig::default();
    settings.public_url = None;
    settings.oidc_file = None;
    settings.keys = KeyConfig::UNLIMITED;
    settings.outbound.allow_this_machine();
    settings.drain_delay_seconds = 0;
    settings.drain_seconds = DRAIN_SECONDS;
    settings.log_format = LogFormat::Text;
    settings.log.clone_from(&config.log);
    settings.layout.hash_partitions = HASH_PARTITIONS;
    let provider = reflector.provider.as_ref();
    settings.reflection.text_provider = provider.map(|provider| provider.kind);
    settings.reflection.text_model = provider.map(|provider| provider.model.clone()).unwrap_or_default();
    settings.reflection.text_url = provider.and_then(|provider| provider.url.clone());
    settings.reflection.text_key = provider.and_then(|provider| provider.key.clone());
    let embedding = &mut settings.embedding;
    if embedding.embedder.embedder.is_none_or(|name| name == EmbedderName::Local) {
        embedding.embedder.embedder = Some(EmbedderName::Local);
        if embedding.embedder.embedder_folder.is_none() {
            let found = python_packages::model(packages).with_context(|| {
                python_packages::missing(
                    "the embedding model",
                    "REFLECT_EMBEDDER_FOLDER",
                    "reflect_memory/model/model.onnx",
                    packages,
                )
            })?;
            embedding.embedder.embedder_folder = Some(found);
        }
        if embedding.onnxruntime.is_none() {
            let found = python_packages::onnxruntime(packages).with_context(|| {
                python_packages::missing(
                    "ONNX Runtime, which runs the embedding model,",
                    "REFLECT_ONNXRUNTIME",
                    "onnxruntime/capi/libonnxruntime.so",
                    packages,
                )
            })?;
            embedding.onnxruntime = Some(found);
        }
    }
    Ok(settings)
}

/// An invalid variable. clap's message names the flag of `serve`.
fn unreadable(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let said = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    Failure::new(Kind::Configuration, "bad_setting", said.replace("\n ", ""))
        .fix("correct the variable of this setting; docs/CONFIGURATION.md lists the variables")
}

/// Listens on the port, or on the next free one.
async fn listen(port: u16) -> anyhow::Result<TcpListener> {
    let last = port.saturating_add(if port == 0 { 0 } else { PORTS_TRIED });
    for port in port..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => {
                return bound
                    .with_context(|| format!("cannot listen on port {port}; choose another with --port"));
            }
        }
    }
    anyhow::bail!("the ports {port} to {last} are in use; choose another with --port")
}

/// A sign-in link for an admin. It works once.
async fn console_link(engine: &Engine, base_url: &str) -> anyhow::Result<String> {
    let name: MemberName = MEMBER.parse()?;
    let (_, link) =
        engine.members.create_link_as_operator(&name, Some(MemberRole::Admin), &operator()).await?;
    Ok(format!("{base_url}/login?t={}", link.secret))
}
