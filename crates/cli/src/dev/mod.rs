//! `reflect dev`: one command to a running loop. A Postgres of its own as a child, the local embedder, a project with a
//! key, and a console that is signed in to. What serves is `serve`; this chooses its settings and says where things are.

mod account;
pub(crate) mod connection;
pub(crate) mod folder;
pub(crate) mod keeper;
mod parts;
mod postgres;
mod programs;
mod reflector;
mod welcome;

use std::io::{self, IsTerminal};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, FromArgMatches};
use reflect_engine::Engine;
use reflect_types::{MemberName, MemberRole, ProjectSlug};
use tokio::net::TcpListener;

use self::account::Account;
use self::folder::Folder;
use self::postgres::{Cluster, Running};
use self::programs::Places;
use self::reflector::Reflector;
use self::welcome::Welcome;
use crate::commands::{USUAL_SCOPES, operator, print_text, serve};
use crate::config::{Config, LogFormat, Role};
use crate::demo;
use crate::dev_config::{DevConfig, FolderConfig};
use crate::embedder_config::EmbedderName;
use crate::failure::{Failure, Kind};

/// The database's only user.
const SUPERUSER: &str = "reflect";
const PROJECT: &str = "default";
const MEMBER: &str = "admin";
/// A browser keeps a connection open for news; it need not be waited for.
const DRAIN_SECONDS: u64 = 2;
/// One person's data: fewer tables to make at the first start.
const HASH_PARTITIONS: u16 = 4;
const PORTS_TRIED: u16 = 100;

/// The folder that the settings name, for commands that use a server which runs.
pub(crate) fn existing_folder(config: &FolderConfig) -> anyhow::Result<Folder> {
    let is_root = Account::for_postgres()?.is_other();
    let path = config.folder(is_root)?;
    anyhow::ensure!(
        path.is_dir(),
        "there is no development server in {}; `reflect dev` makes one",
        path.display()
    );
    Folder::open(path, is_root)
}

/// Runs a development server until it is told to stop.
pub(crate) async fn run(config: DevConfig) -> anyhow::Result<()> {
    let began = Instant::now();
    // From now on, so that nothing is left half-way: until a signal is listened for, it ends the process at once.
    let signalled = pin!(serve::listen_for_signals()?);
    let account = Account::for_postgres()?;
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
    account: Account,
    config: &DevConfig,
    signalled: Pin<&mut impl Future<Output = ()>>,
    began: Instant,
) -> anyhow::Result<()> {
    let _lock = folder.lock()?;
    let program = std::env::current_exe().context("cannot find out where this program lies")?;
    let packages = parts::package_folders(&program);
    let reflector = reflector::choose(config).await?;
    let settings = settings(config, folder, &packages, &reflector)?;
    let programs = programs::find(&Places {
        setting: config.postgres_bin.as_deref(),
        search_path: config.surroundings.search_path.as_deref(),
        packages: &packages,
        made_by: folder.made_by(),
    })?;
    let programs = programs.within_reach_of(account, &folder.programs())?;
    if io::stderr().is_terminal() {
        eprintln!("  Starting Reflect and its Postgres; the first start takes a few seconds …");
    }
    let cluster = Cluster { programs, folder, account, forgetful: config.ephemeral };
    cluster.clear_leftovers()?;
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
    let taken = Some(config.port).filter(|port| *port != 0 && *port != address.port());
    let mut accident = Ok(());
    let until = async {
        tokio::select! {
            () = signalled => {}
            ended = postgres.ended() => accident = ended,
        }
    };
    let greet = async |engine: &Engine, _| {
        let base_url = format!("http://{address}");
        let project: ProjectSlug = PROJECT.parse()?;
        let known = connection::keep(&folder.connection(), &base_url, engine, &project, USUAL_SCOPES).await?;
        let link = console_link(engine, &base_url).await?;
        let welcome = Welcome {
            connection: &known,
            opened: welcome::open(config, &link),
            link: &link,
            folder: folder.path(),
            ephemeral: config.ephemeral,
            demo: config.demo,
            elsewhere: config.ephemeral || config.folder.dev_folder.is_some(),
            reflector: &reflector.said,
            took: began.elapsed(),
            taken,
        };
        print_text(&welcome.text())?;
        if config.demo {
            demo::seed_here(folder, &base_url, engine).await?;
        }
        Ok(())
    };
    serve::run(app, &settings, listener, until, greet).await?;
    accident
}

/// The settings of `serve`, as its variables have them, with what is decided here.
fn settings(
    config: &DevConfig,
    folder: &Folder,
    packages: &[PathBuf],
    reflector: &Reflector,
) -> anyhow::Result<Config> {
    let url = folder.database_url();
    // The provider stands in for whichever was chosen, because other settings want one to be named.
    let arguments = ["reflect dev", "--database-url", &url, "--text-provider", "openai"];
    let matches = Config::augment_args(clap::Command::new("reflect dev")).try_get_matches_from(arguments);
    let matches = matches.map_err(|error| unreadable(&error))?;
    let mut settings = Config::from_arg_matches(&matches)?;
    settings.migrate = true;
    settings.role = Role::All;
    settings.base_path = String::new();
    settings.public_url = None;
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
            let found = parts::model(packages).with_context(|| {
                parts::missing(
                    "the embedding model",
                    "REFLECT_EMBEDDER_FOLDER",
                    "reflect_memory/model/model.onnx",
                    packages,
                )
            })?;
            embedding.embedder.embedder_folder = Some(found);
        }
        if embedding.onnxruntime.is_none() {
            let found = parts::onnxruntime(packages).with_context(|| {
                parts::missing(
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

/// A variable of the environment that holds what its setting does not take. What clap says names the flag of `serve`.
fn unreadable(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let said = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    Failure::new(Kind::Configuration, "bad_setting", said.replace("\n ", ""))
        .fix("mend the variable of this setting; docs/CONFIGURATION.md names it")
}

/// Listens on the port, or on the next one that is free.
async fn listen(port: u16) -> anyhow::Result<TcpListener> {
    let last = port.saturating_add(if port == 0 { 0 } else { PORTS_TRIED });
    for port in port..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => {
                return bound.with_context(|| format!("cannot listen on port {port}; --port takes another"));
            }
        }
    }
    anyhow::bail!("the ports {port} to {last} are all taken; --port takes another")
}

/// A link that signs whoever opens it in as an admin, once.
async fn console_link(engine: &Engine, base_url: &str) -> anyhow::Result<String> {
    let name: MemberName = MEMBER.parse()?;
    let (_, link) = engine.link_as_operator(&name, Some(MemberRole::Admin), &operator()).await?;
    Ok(format!("{base_url}/login?t={}", link.secret))
}

/// How long commands wait for what the server does in the background.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
