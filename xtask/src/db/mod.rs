//! `cargo xtask db`: a private Postgres on the loopback address.
//!
//! There is one shared cluster for development and tests. It is fast, and its data may be lost. With `--data` there are
//! temporary clusters for fault and benchmark runs, which the caller removes. This file parses the command line;
//! `cluster` does the work.

mod account;
mod cluster;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::cache::Cache;
use crate::{settings, setup};
use cluster::{Cluster, Durability};

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    verb: Verb,
    data: Option<PathBuf>,
    port: Option<u16>,
    durability: Durability,
    mode: StopMode,
    database: Option<String>,
    recreate: bool,
    /// Further settings of the server: `NAME=VALUE`.
    settings: Vec<String>,
    /// Environment variables of the server: `NAME=VALUE`.
    variables: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Start,
    Create,
    Stop,
    Url,
    Status,
}

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopMode {
    /// Connections are closed and everything is written.
    Fast,
    /// Like a crash: nothing is written, and the next start recovers.
    Immediate,
}

/// Runs `db` with its arguments.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let request = parse(words)?;
    let cache = Cache::locate()?;
    let default_port = settings::database_port()?;
    let chosen = request.data.clone().or_else(|| settings::setting(settings::DB_DATA).map(PathBuf::from));
    let data = match chosen {
        Some(folder) => std::path::absolute(folder)?,
        // The major version is part of the name, because another version cannot read the same files.
        None => cache.path("db-18"),
    };
    let cluster = Cluster::new(setup::postgres_programs(&cache)?, data)?;
    let _lock = cache.lock("db.lock")?;
    match request.verb {
        Verb::Start => {
            let port = request.port.unwrap_or(default_port);
            start(&cluster, port, &request)
        }
        Verb::Create => create(&cluster, request.database.as_deref().unwrap_or_default(), request.recreate),
        Verb::Stop => stop(&cluster, request.mode),
        Verb::Url => {
            let port = cluster.running_port()?.or(request.port).unwrap_or(default_port);
            println!("{}", url(port, "postgres"));
            Ok(ExitCode::SUCCESS)
        }
        Verb::Status => status(&cluster),
    }
}

fn start(cluster: &Cluster, port: u16, request: &Request) -> Result<ExitCode> {
    if let Some(running) = cluster.running_port()? {
        println!("already running: {}", url(running, "postgres"));
        return Ok(ExitCode::SUCCESS);
    }
    cluster.create(request.durability)?;
    cluster.start(port, request.durability, &request.settings, &request.variables)?;
    println!("started: {} (log: {})", url(port, "postgres"), cluster.log().display());
    Ok(ExitCode::SUCCESS)
}

/// Creates a database unless it exists, and prints only its URL, for scripts.
fn create(cluster: &Cluster, database: &str, recreate: bool) -> Result<ExitCode> {
    let port = cluster.running_port()?.context("the cluster is not running; `cargo xtask db` starts it")?;
    cluster.make_database(port, database, recreate)?;
    println!("{}", url(port, database));
    Ok(ExitCode::SUCCESS)
}

fn stop(cluster: &Cluster, mode: StopMode) -> Result<ExitCode> {
    if cluster.running_port()?.is_none() {
        println!("not running");
        return Ok(ExitCode::SUCCESS);
    }
    cluster.stop(mode)?;
    println!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn status(cluster: &Cluster) -> Result<ExitCode> {
    match cluster.running_port()? {
        Some(port) => {
            println!("running: {}", url(port, "postgres"));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            println!("not running");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://{}@127.0.0.1:{port}/{database}", cluster::SUPERUSER)
}

fn parse(words: &[&str]) -> Result<Request> {
    let mut words = words.iter().copied().peekable();
    let verb = match words.next_if(|word| !word.starts_with('-')) {
        None | Some("start") => Verb::Start,
        Some("create") => Verb::Create,
        Some("stop") => Verb::Stop,
        Some("url") => Verb::Url,
        Some("status") => Verb::Status,
        Some(other) => bail!("`db {other}` is not a command; use start, create, stop, url or status"),
    };
    let (data, port, durability, mode) = (None, None, Durability::NonDurable, StopMode::Fast);
    let database = if verb == Verb::Create { Some(database_name(words.next())?) } else { None };
    let (recreate, settings, variables) = (false, Vec::new(), Vec::new());
    let mut request = Request { verb, data, port, durability, mode, database, recreate, settings, variables };
    while let Some(option) = words.next() {
        let mut value = || words.next().with_context(|| format!("{option} needs a value"));
        match (verb, option) {
            (_, "--data") => request.data = Some(value()?.into()),
            (Verb::Start | Verb::Url, "--port") => {
                request.port = Some(value()?.parse().context("--port needs a port")?);
            }
            (Verb::Create, "--recreate") => request.recreate = true,
            (Verb::Start, "--durable") => request.durability = Durability::Durable,
            (Verb::Start, "--set") => request.settings.push(setting(value()?)?),
            (Verb::Start, "--variable") => request.variables.push(variable(value()?)?),
            (Verb::Stop, "--mode") => {
                request.mode = match value()? {
                    "fast" => StopMode::Fast,
                    "immediate" => StopMode::Immediate,
                    other => bail!("--mode {other} is not known; use fast or immediate"),
                };
            }
            _ => bail!("`db {}` does not take {option}", format!("{verb:?}").to_lowercase()),
        }
    }
    // The shared cluster must stay fast, so only private clusters can be durable.
    if request.durability == Durability::Durable && (request.data.is_none() || request.port.is_none()) {
        bail!("--durable needs --data DIR and --port N, a cluster of your own");
    }
    Ok(request)
}

/// A setting of the server without characters that need quotes in a shell.
fn setting(word: &str) -> Result<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:-".contains(&byte);
    let valid =
        word.split_once('=').is_some_and(|(name, value)| name.bytes().chain(value.bytes()).all(plain));
    if !valid {
        bail!("--set needs NAME=VALUE without spaces and quotes, not {word:?}");
    }
    Ok(word.to_owned())
}

/// An environment variable of the server.
fn variable(word: &str) -> Result<String> {
    let valid = word.split_once('=').is_some_and(|(name, _)| !name.is_empty());
    if !valid {
        bail!("--variable needs NAME=VALUE, not {word:?}");
    }
    Ok(word.to_owned())
}

/// A name that needs no quotes in SQL, in a shell or in a URL.
fn database_name(word: Option<&str>) -> Result<String> {
    let plain = |name: &&str| {
        !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    let name =
        word.filter(plain).context("`db create` needs a name of small letters, digits and underscores")?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_arguments_the_shared_cluster_is_started() {
        let request = parse(&[]).unwrap();

        assert_eq!(request, parse(&["start"]).unwrap());
        assert_eq!((request.verb, request.data, request.port), (Verb::Start, None, None));
        assert_eq!(request.durability, Durability::NonDurable);
    }

    #[test]
    fn a_durable_cluster_needs_its_own_folder_and_port() {
        let request = parse(&["start", "--durable", "--port", "6000", "--data", "/d"]).unwrap();

        assert_eq!(request.durability, Durability::Durable);
        assert_eq!((request.port, request.data), (Some(6000), Some("/d".into())));
        assert!(parse(&["start", "--durable"]).unwrap_err().to_string().contains("--data DIR"));
    }

    #[test]
    fn settings_of_the_server_need_no_quotes() {
        let request = parse(&["start", "--set", "max_connections=20", "--set", "wal_level=replica"]).unwrap();

        assert_eq!(request.settings, ["max_connections=20", "wal_level=replica"]);
        for wrong in ["max_connections", "a='b'", "a=$(b)", "a=b c"] {
            assert!(parse(&["start", "--set", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn variables_of_the_server_have_a_name_and_a_value() {
        let request = parse(&["start", "--variable", "LD_PRELOAD=/a b/c.so"]).unwrap();

        assert_eq!(request.variables, ["LD_PRELOAD=/a b/c.so"]);
        assert!(parse(&["start", "--variable", "=1"]).is_err());
        assert!(parse(&["stop", "--variable", "A=1"]).is_err());
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for words in [["restart", "--data"], ["start", "--variable"], ["stop", "--durable"], ["stop", "--mode"], ["url", "--nonsense"]]
        {
            assert!(parse(&words).is_err(), "{words:?}");
        }
        assert_eq!(parse(&["stop", "--mode", "immediate"]).unwrap().mode, StopMode::Immediate);
    }

    #[test]
    fn a_database_name_needs_no_quotes() {
        let request = parse(&["create", "demo_1", "--recreate"]).unwrap();
        assert_eq!((request.database.as_deref(), request.recreate), (Some("demo_1"), true));
        assert!(parse(&["create"]).is_err());
        assert!(parse(&["create", "a; drop"]).is_err());
        assert!(parse(&["start", "--recreate"]).is_err());
    }
}
