//! `cargo xtask db`: a private Postgres on the loopback address.
//!
//! One shared cluster for development and tests, tuned for speed because its data may be lost; and, with
//! `--data`, throw-away clusters for fault and benchmark runs, which are removed by whoever asked for them.
//! This file reads the command line; `cluster` does the work. Schemas are the store's business.

mod account;
mod cluster;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::cache::Cache;
use crate::{settings, setup};
use cluster::{Cluster, Durability};

/// One parsed command line.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    verb: Verb,
    data: Option<PathBuf>,
    port: Option<u16>,
    durability: Durability,
    mode: StopMode,
    database: Option<String>,
    anew: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Start,
    Create,
    Stop,
    Url,
    Status,
}

/// How a server goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopMode {
    /// Connections are closed, everything is written.
    Fast,
    /// As in a crash: nothing is written, the next start recovers.
    Immediate,
}

/// Runs `db` with the words that follow it.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let request = parse(words)?;
    let cache = Cache::locate()?;
    let default_port = settings::database_port()?;
    let data = match &request.data {
        Some(folder) => std::path::absolute(folder)?,
        // The major version is part of the name: another one cannot read the same files.
        None => cache.path("db-18"),
    };
    let cluster = Cluster::new(setup::postgres_programs(&cache)?, data)?;
    let _lock = cache.lock("db.lock")?;
    match request.verb {
        Verb::Start => start(&cluster, request.port.unwrap_or(default_port), request.durability),
        Verb::Create => create(&cluster, request.database.as_deref().unwrap_or_default(), request.anew),
        Verb::Stop => stop(&cluster, request.mode),
        Verb::Url => {
            let port = cluster.running_port()?.or(request.port).unwrap_or(default_port);
            println!("{}", url(port, "postgres"));
            Ok(ExitCode::SUCCESS)
        }
        Verb::Status => status(&cluster),
    }
}

fn start(cluster: &Cluster, port: u16, durability: Durability) -> Result<ExitCode> {
    if let Some(running) = cluster.running_port()? {
        println!("already running: {}", url(running, "postgres"));
        return Ok(ExitCode::SUCCESS);
    }
    cluster.create(durability)?;
    cluster.start(port, durability)?;
    println!("started: {} (log: {})", url(port, "postgres"), cluster.log().display());
    Ok(ExitCode::SUCCESS)
}

/// Makes a database unless it is there, and prints its address alone, for a script to take.
fn create(cluster: &Cluster, database: &str, anew: bool) -> Result<ExitCode> {
    let port = cluster.running_port()?.context("the cluster is not running; `cargo xtask db` starts it")?;
    cluster.make_database(port, database, anew)?;
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
        Some(other) => bail!("`db {other}` is not a command; start, create, stop, url and status are"),
    };
    let (data, port, durability, mode) = (None, None, Durability::Forgetful, StopMode::Fast);
    let database = if verb == Verb::Create { Some(database_name(words.next())?) } else { None };
    let mut request = Request { verb, data, port, durability, mode, database, anew: false };
    while let Some(option) = words.next() {
        let mut value = || words.next().with_context(|| format!("{option} needs a value"));
        match (verb, option) {
            (_, "--data") => request.data = Some(value()?.into()),
            (Verb::Start | Verb::Url, "--port") => {
                request.port = Some(value()?.parse().context("--port needs a port")?);
            }
            (Verb::Create, "--anew") => request.anew = true,
            (Verb::Start, "--durable") => request.durability = Durability::Durable,
            (Verb::Stop, "--mode") => {
                request.mode = match value()? {
                    "fast" => StopMode::Fast,
                    "immediate" => StopMode::Immediate,
                    other => bail!("--mode {other} is not known; fast and immediate are"),
                };
            }
            _ => bail!("`db {}` does not take {option}", format!("{verb:?}").to_lowercase()),
        }
    }
    // The shared cluster must stay fast for everybody, so durability is for clusters of one's own.
    if request.durability == Durability::Durable && (request.data.is_none() || request.port.is_none()) {
        bail!("--durable needs --data DIR and --port N, a cluster of your own");
    }
    Ok(request)
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
    fn nothing_said_means_start_the_shared_cluster() {
        let request = parse(&[]).unwrap();

        assert_eq!(request, parse(&["start"]).unwrap());
        assert_eq!((request.verb, request.data, request.port), (Verb::Start, None, None));
        assert_eq!(request.durability, Durability::Forgetful);
    }

    #[test]
    fn a_durable_cluster_needs_a_folder_and_a_port_of_its_own() {
        let request = parse(&["start", "--durable", "--port", "6000", "--data", "/d"]).unwrap();

        assert_eq!(request.durability, Durability::Durable);
        assert_eq!((request.port, request.data), (Some(6000), Some("/d".into())));
        assert!(parse(&["start", "--durable"]).unwrap_err().to_string().contains("--data DIR"));
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        for words in [["restart", "--data"], ["stop", "--durable"], ["stop", "--mode"], ["url", "--nonsense"]]
        {
            assert!(parse(&words).is_err(), "{words:?}");
        }
        assert_eq!(parse(&["stop", "--mode", "immediate"]).unwrap().mode, StopMode::Immediate);
    }

    #[test]
    fn a_database_to_create_has_a_plain_name() {
        let request = parse(&["create", "demo_1", "--anew"]).unwrap();
        assert_eq!((request.database.as_deref(), request.anew), (Some("demo_1"), true));
        assert!(parse(&["create"]).is_err());
        assert!(parse(&["create", "a; drop"]).is_err());
        assert!(parse(&["start", "--anew"]).is_err());
    }
}
