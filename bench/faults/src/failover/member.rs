//! One member of a cluster: Postgres, its Patroni, and proxies on the ways to etcd and from the standbys.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::free_port;
use sqlx::{Connection, PgConnection};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::tools::Tools;
use crate::proxy::Proxy;

/// The superuser of the cluster.
pub(super) const SUPERUSER: &str = "reflect";
/// How long an answer of a member may take. It may be stopped.
const ANSWER: Duration = Duration::from_millis(500);
const ACCEPTS_WRITES: &str =
    "select not pg_is_in_recovery() and not current_setting('transaction_read_only')::bool";

/// A member. Its processes end when it is dropped.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(super) port: u16,
    /// The port of Patroni's REST interface, which HAProxy asks.
    pub(super) rest: u16,
    /// The way from its Patroni to etcd.
    pub(crate) to_etcd: Proxy,
    /// The way from standbys to its Postgres.
    pub(crate) replication: Proxy,
    folder: PathBuf,
    patroni: Option<Child>,
}

impl Member {
    /// A member whose files are in this folder. Nothing is started.
    pub(super) async fn new(folder: &Path, number: usize, etcd: u16) -> anyhow::Result<Self> {
        let port = free_port()?;
        Ok(Self {
            name: format!("member{number}"),
            port,
            rest: free_port()?,
            to_etcd: Proxy::start(format!("127.0.0.1:{etcd}")).await?,
            replication: Proxy::start(format!("127.0.0.1:{port}")).await?,
            folder: folder.to_owned(),
            patroni: None,
        })
    }

    /// Starts Patroni, which starts Postgres.
    pub(super) fn start(&mut self, tools: &Tools, settings: &str) -> anyhow::Result<()> {
        std::fs::write(self.configuration(), self.patroni_settings(tools, settings))?;
        let log = File::options().create(true).append(true).open(self.log())?;
        let mut patroni = tools.patroni();
        patroni.arg(self.configuration()).current_dir(&self.folder);
        patroni.stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
        self.patroni = Some(patroni.spawn().context("Patroni cannot be started")?);
        Ok(())
    }

    pub(super) fn configuration(&self) -> PathBuf {
        self.folder.join(format!("{}.yml", self.name))
    }

    pub(super) fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    pub(super) fn is_running(&self) -> bool {
        self.patroni.is_some()
    }

    /// The URL of a database on this member, which may be a primary or a standby.
    pub(super) fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}@127.0.0.1:{}/{database}", self.port)
    }

    /// A connection to its Postgres.
    pub(super) async fn connect(&self, database: &str) -> anyhow::Result<PgConnection> {
        Ok(PgConnection::connect(&self.url(database)).await?)
    }

    /// Whether its Postgres accepts writes now.
    pub(super) async fn accepts_writes(&self) -> bool {
        let asked = async {
            let mut connection = self.connect("postgres").await?;
            anyhow::Ok(sqlx::query_scalar::<_, bool>(ACCEPTS_WRITES).fetch_one(&mut connection).await?)
        };
        matches!(timeout(ANSWER, asked).await, Ok(Ok(true)))
    }

    /// Whether its Patroni answers 200 to this path.
    pub(super) async fn is(&self, path: &str) -> bool {
        let asked = async {
            let mut connection = TcpStream::connect(("127.0.0.1", self.rest)).await?;
            connection.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await?;
            let mut answer = Vec::new();
            connection.read_to_end(&mut answer).await?;
            anyhow::Ok(String::from_utf8_lossy(&answer).split(' ').nth(1) == Some("200"))
        };
        matches!(timeout(ANSWER, asked).await, Ok(Ok(true)))
    }

    /// Kills Patroni and all processes of Postgres at the same time, like a machine that loses its power.
    pub(super) async fn kill(&mut self) -> anyhow::Result<()> {
        let patroni = self.patroni.as_ref().and_then(Child::id);
        let mut processes: Vec<u32> = patroni.into_iter().collect();
        ensure!(!processes.is_empty(), "{} does not run", self.name);
        processes.extend(processes_in(&self.data()));
        signal(&processes, "KILL").output().await?;
        self.reap().await
    }

    /// Waits for the end of a killed Patroni.
    async fn reap(&mut self) -> anyhow::Result<()> {
        if let Some(mut patroni) = self.patroni.take() {
            patroni.wait().await?;
        }
        Ok(())
    }

    /// Sends a signal to Patroni alone.
    pub(super) async fn signal_patroni(&self, name: &str) -> anyhow::Result<()> {
        let patroni = self.patroni.as_ref().and_then(Child::id).context("Patroni does not run")?;
        signal(&[patroni], name).output().await?;
        Ok(())
    }

    /// Standbys connect to the address of the proxy. The ports are on the loopback address only.
    fn patroni_settings(&self, tools: &Tools, settings: &str) -> String {
        let Self { name, port, rest, .. } = self;
        let (data, bin) = (self.data(), &tools.postgres);
        let passwords = self.folder.join(format!("{name}.pgpass"));
        format!(
            r#"scope: faults
name: {name}
restapi: {{listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}"}}
etcd3: {{hosts: ["{etcd}"], use_proxies: true}}
bootstrap:
  dcs:
{settings}
  initdb: [{{encoding: UTF8}}, {{locale: C}}, {{auth: trust}}]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: {replication}
  data_dir: {data}
  bin_dir: {bin}
  pgpass: {passwords}
  use_unix_socket: false
  authentication:
    superuser: {{username: {SUPERUSER}}}
    replication: {{username: {SUPERUSER}}}
    rewind: {{username: {SUPERUSER}}}
  parameters: {{unix_socket_directories: ""}}
"#,
            etcd = self.to_etcd.address,
            replication = self.replication.address,
            data = data.display(),
            bin = bin.display(),
            passwords = passwords.display(),
        )
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Patroni first: it would start Postgres again.
        if let Some(patroni) = &mut self.patroni {
            let _ = patroni.start_kill();
        }
        let _ = signal(&processes_in(&self.data()), "KILL").into_std().output();
    }
}

/// The processes of Postgres, which work in the folder of their data.
fn processes_in(data: &Path) -> Vec<u32> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let works_there =
        |process: &u32| std::fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|folder| folder == data);
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(works_there).collect()
}

/// Sends a signal with a shell, because the standard library has no safe call for it. Some processes may have ended.
fn signal(processes: &[u32], name: &str) -> Command {
    let processes: String = processes.iter().map(|process| format!(" {process}")).collect();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("kill -{name}{processes}")).stderr(Stdio::null());
    shell
}
