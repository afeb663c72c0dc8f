//! A private Postgres with durable commits. Without them, the figures of both sides would be too good.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::cargo::cargo;
use crate::clock::Clock;

/// A running cluster. It is stopped and removed when dropped.
#[derive(Debug)]
pub struct Cluster {
    data: PathBuf,
    port: u16,
}

impl Cluster {
    /// Creates and starts a cluster with `cargo xtask db`.
    pub fn start() -> anyhow::Result<Self> {
        let name = format!("run-{}-{}", std::process::id(), free_port()?);
        Self::start_in(cache_folder()?.join(name), &[])
    }

    /// The same in this data folder, whose parent exists, and with further settings of the server: `NAME=VALUE`.
    pub fn start_in(data: PathBuf, settings: &[&str]) -> anyhow::Result<Self> {
        let cluster = Self { data, port: free_port()? };
        cluster.start_again(settings)?;
        Ok(cluster)
    }

    /// The same in the cache folder, with further settings, and with a server that has this clock.
    pub fn start_with_clock(settings: &[&str], clock: &Clock) -> anyhow::Result<Self> {
        let port = free_port()?;
        let data = cache_folder()?.join(format!("run-{}-{port}", std::process::id()));
        let cluster = Self { data, port };
        cluster.start_server(settings, &clock.postgres_variables())?;
        Ok(cluster)
    }

    /// Starts the server of a cluster that was stopped.
    pub fn start_again(&self, settings: &[&str]) -> anyhow::Result<()> {
        self.start_server(settings, &[])
    }

    fn start_server(&self, settings: &[&str], variables: &[(&str, String)]) -> anyhow::Result<()> {
        let port = self.port.to_string();
        let own = ["db", "start", "--durable", "--port", &port];
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        let variables: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let variables = variables.iter().flat_map(|variable| ["--variable", variable]);
        let words: Vec<&str> = own.into_iter().chain(settings).chain(variables).chain(["--data"]).collect();
        xtask(&words, Some(&self.data)).map(drop)
    }

    /// Stops the server after it has written everything.
    pub fn stop(&self) -> anyhow::Result<()> {
        xtask(&["db", "stop", "--data"], Some(&self.data)).map(drop)
    }

    /// Stops the cluster with this data folder, and removes the folder. For a run that a signal ends.
    pub fn remove(data: &Path) {
        let _ = xtask(&["db", "stop", "--mode", "immediate", "--data"], Some(data));
        let _ = std::fs::remove_dir_all(data);
    }

    /// Creates a database in it.
    pub async fn database(&self, name: &str) -> anyhow::Result<String> {
        let mut server = PgConnection::connect(&self.url("postgres")).await?;
        server.execute(AssertSqlSafe(format!("create database \"{name}\""))).await?;
        Ok(self.url(name))
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The log of the server.
    pub fn log(&self) -> PathBuf {
        self.data.join("server.log")
    }

    /// The address of a database in it.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://reflect@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        Self::remove(&self.data);
    }
}

/// A port that is currently free.
pub fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The cache folder of the project's commands.
pub fn cache_folder() -> anyhow::Result<PathBuf> {
    Ok(PathBuf::from(xtask(&["cache"], None)?.trim()))
}

/// The folder of one part of the cache.
pub fn cache_part(part: &str) -> anyhow::Result<PathBuf> {
    Ok(PathBuf::from(xtask(&["cache", part], None)?.trim()))
}

fn xtask(arguments: &[&str], folder: Option<&Path>) -> anyhow::Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked", "--package", "xtask", "--"]).args(arguments).args(folder);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let output = command.output().context("cannot run cargo xtask")?;
    if !output.status.success() {
        bail!("cargo xtask {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
