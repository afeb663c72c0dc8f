//! The Postgres of a run: its databases, its programs and its log.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_ingest::postgres_programs::postgres_programs;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::locks;

/// A cluster that logs waits for locks.
pub(crate) struct Postgres {
    cluster: Cluster,
    programs: PathBuf,
    pub(crate) port: u16,
}

impl Postgres {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let cluster = Cluster::start()?;
        let programs = postgres_programs()?;
        let url = cluster.url("postgres");
        let (_, port) = url.split_once("127.0.0.1:").context("a URL without an address")?;
        let port = port.trim_end_matches("/postgres").parse()?;
        let mut connection = PgConnection::connect(&url).await?;
        for (name, value) in locks::SETTINGS {
            connection.execute(AssertSqlSafe(format!("alter system set {name} = '{value}'"))).await?;
        }
        connection.execute("select pg_reload_conf()").await?;
        Ok(Self { cluster, programs, port })
    }

    /// The address of a database.
    pub(crate) fn url(&self, database: &str) -> String {
        self.cluster.url(database)
    }

    /// Creates a database, as a copy of another one if that is named.
    pub(crate) async fn create(&self, database: &str, template: Option<&str>) -> anyhow::Result<String> {
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        let template = template.map(|name| format!(" template \"{name}\"")).unwrap_or_default();
        connection.execute(AssertSqlSafe(format!("create database \"{database}\"{template}"))).await?;
        Ok(self.url(database))
    }

    /// Removes a database.
    pub(crate) async fn drop(&self, database: &str) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        connection.execute(AssertSqlSafe(format!("drop database \"{database}\" with (force)"))).await?;
        Ok(())
    }

    /// Runs a script that `pg_dump` wrote.
    pub(crate) async fn restore(&self, url: &str, script: &[u8]) -> anyhow::Result<()> {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", url]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
        let mut input = child.stdin.take().context("standard input is a pipe")?;
        input.write_all(script).await?;
        drop(input);
        let output = child.wait_with_output().await?;
        ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// The script of a database.
    pub(crate) async fn dump(&self, url: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(self.programs.join("pg_dump"));
        let output = command.args(arguments).arg(url).kill_on_drop(true).output().await?;
        ensure!(output.status.success(), "pg_dump: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The number of bytes in the server's log.
    pub(crate) fn log_length(&self) -> anyhow::Result<usize> {
        Ok(usize::try_from(std::fs::metadata(self.cluster.log())?.len())?)
    }

    /// The server's log after so many bytes.
    pub(crate) fn log_after(&self, length: usize) -> anyhow::Result<String> {
        let log = std::fs::read(self.cluster.log())?;
        Ok(String::from_utf8_lossy(log.get(length..).unwrap_or_default()).into_owned())
    }
}
