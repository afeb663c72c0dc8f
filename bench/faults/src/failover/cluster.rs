//! A cluster of Postgres servers under Patroni, with etcd, behind HAProxy.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use reflect_bench_ingest::cluster::{cache_folder, free_port};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use super::member::{Member, SUPERUSER};
use super::tools::Tools;
use crate::mutant::Databases;

/// How long the cluster may take to change its state. A failover takes the TTL of Patroni's lock, at least 20 s.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(50);

/// How standbys are replicated to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replication {
    /// One standby is synchronous, and commits wait for it also if there is none.
    Synchronous,
    /// Commits wait for no standby.
    Asynchronous,
}

/// A running cluster. It is stopped and removed when dropped.
pub(crate) struct PatroniCluster {
    pub(crate) members: Vec<Member>,
    pub(super) tools: Tools,
    folder: PathBuf,
    /// The port of HAProxy, which leads to the primary.
    port: u16,
    replication: Replication,
    _others: [Child; 2],
}

impl PatroniCluster {
    /// Starts a cluster with so many members, and waits until all of them work.
    pub(crate) async fn start(replication: Replication, members: usize) -> anyhow::Result<Self> {
        let (tools, port) = (Tools::find()?, free_port()?);
        let folder = cache_folder()?.join(format!("failover-{}-{port}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let etcd_port = free_port()?;
        let etcd = start_etcd(&tools, &folder, etcd_port)?;
        let mut all = Vec::new();
        for number in 0..members {
            all.push(Member::new(&folder, number, etcd_port).await?);
        }
        let haproxy = start_haproxy(&tools, &folder, port, &all)?;
        let mut cluster = Self { members: all, tools, folder, port, replication, _others: [etcd, haproxy] };
        for number in 0..members {
            cluster.rejoin(number)?;
            if number == 0 {
                // The first one creates the cluster.
                cluster.wait_for_primary(&HashSet::new()).await?;
            }
        }
        cluster.wait_until_whole().await?;
        Ok(cluster)
    }

    /// The URL of a database on the primary, through HAProxy.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Starts a member that does not run.
    pub(crate) fn rejoin(&mut self, number: usize) -> anyhow::Result<()> {
        let settings = settings(self.replication);
        self.members[number].start(&self.tools, &settings)
    }

    /// The member that accepts writes, if exactly one does.
    pub(crate) async fn primary(&self) -> Option<usize> {
        let mut found = None;
        for (number, member) in self.members.iter().enumerate() {
            if member.is_running() && member.accepts_writes().await {
                if found.is_some() {
                    return None;
                }
                found = Some(number);
            }
        }
        found
    }

    /// Waits until a member that is not one of these accepts writes.
    pub(crate) async fn wait_for_primary(&self, not: &HashSet<usize>) -> anyhow::Result<usize> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(primary) = self.primary().await
                && !not.contains(&primary)
            {
                return Ok(primary);
            }
            sleep(POLL).await;
        }
        bail!("there is no new primary after {} s{}", PATIENCE.as_secs(), self.logs())
    }

    /// Waits until all running members work: one is the primary, it streams to all others, one of which is synchronous if it
    /// should be, and HAProxy leads to it. Returns the primary.
    pub(crate) async fn wait_until_whole(&self) -> anyhow::Result<usize> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(primary) = self.primary().await
                && self.is_whole(primary).await.unwrap_or(false)
            {
                return Ok(primary);
            }
            sleep(POLL).await;
        }
        bail!("the cluster is not whole after {} s{}", PATIENCE.as_secs(), self.logs())
    }

    async fn is_whole(&self, primary: usize) -> anyhow::Result<bool> {
        const STREAMS: &str = "select count(*) from pg_stat_replication \
                               where state = 'streaming' and application_name like 'member%'";
        let running = self.members.iter().filter(|member| member.is_running()).count();
        let mut connection = self.members[primary].connect("postgres").await?;
        let streams: i64 = sqlx::query_scalar(STREAMS).fetch_one(&mut connection).await?;
        if usize::try_from(streams)? + 1 < running {
            return Ok(false);
        }
        if self.replication == Replication::Synchronous && self.synchronous().await.is_none() {
            return Ok(false);
        }
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        Ok(!sqlx::query_scalar::<_, bool>("select pg_is_in_recovery()").fetch_one(&mut connection).await?)
    }

    /// The synchronous standby, if Patroni would promote it.
    pub(crate) async fn synchronous(&self) -> Option<usize> {
        for (number, member) in self.members.iter().enumerate() {
            if member.is_running() && member.is("/synchronous").await {
                return Some(number);
            }
        }
        None
    }

    /// Runs a command of `patronictl`.
    pub(crate) async fn patronictl(&self, words: &[&str]) -> anyhow::Result<()> {
        let mut command = self.tools.patronictl();
        command.arg("-c").arg(self.members[0].configuration()).args(words);
        let output = command.output().await.context("patronictl cannot be started")?;
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "patronictl {}: {said} {complaint}", words.join(" "));
        Ok(())
    }

    /// The ends of the members' logs, for an error.
    fn logs(&self) -> String {
        let mut text = String::new();
        for member in &self.members {
            let log = std::fs::read_to_string(member.log()).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let tail = lines[lines.len().saturating_sub(15)..].join("\n");
            text.push_str(&format!("\n{}:\n{tail}", member.name));
        }
        text
    }
}

impl Databases for PatroniCluster {
    async fn database(&self, name: &str) -> anyhow::Result<String> {
        let mut server = PgConnection::connect(&self.url("postgres")).await?;
        server.execute(AssertSqlSafe(format!("create database \"{name}\""))).await?;
        Ok(self.url(name))
    }
}

impl Drop for PatroniCluster {
    fn drop(&mut self) {
        self.members.clear();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What all members have in common. Patroni allows no smaller TTL. A primary whose Postgres ended is not started again.
fn settings(replication: Replication) -> String {
    let synchronous = replication == Replication::Synchronous;
    format!(
        "    ttl: 20
    loop_wait: 1
    retry_timeout: 5
    primary_start_timeout: 0
    synchronous_mode: {synchronous}
    synchronous_mode_strict: {synchronous}
    postgresql:
      use_pg_rewind: true
      remove_data_directory_on_diverged_timelines: true
      parameters: {{max_connections: 200, shared_buffers: 64MB, jit: \"off\", timezone: UTC, wal_keep_size: 512MB}}
      pg_hba: [\"host all all 127.0.0.1/32 trust\", \"host replication all 127.0.0.1/32 trust\"]"
    )
}

fn start_etcd(tools: &Tools, folder: &Path, port: u16) -> anyhow::Result<Child> {
    let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()?));
    let mut etcd = tools.etcd();
    etcd.arg("--data-dir").arg(folder.join("etcd")).args(["--name", "etcd", "--logger", "zap"]);
    etcd.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    etcd.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    etcd.args(["--initial-cluster", &format!("etcd={peer}")]);
    spawn(etcd, &folder.join("etcd.log"))
}

/// Asks every member twice a second whether it is the primary, and ends the connections to one that is not any more.
fn start_haproxy(tools: &Tools, folder: &Path, port: u16, members: &[Member]) -> anyhow::Result<Child> {
    let server = |member: &Member| {
        format!("  server {} 127.0.0.1:{} check port {}\n", member.name, member.port, member.rest)
    };
    let servers: String = members.iter().map(server).collect();
    let settings = format!(
        "global
  maxconn 500
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 3s
listen postgres
  bind 127.0.0.1:{port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}"
    );
    let file = folder.join("haproxy.cfg");
    std::fs::write(&file, settings)?;
    let mut haproxy = tools.haproxy();
    haproxy.arg("-db").arg("-f").arg(&file);
    spawn(haproxy, &folder.join("haproxy.log"))
}

fn spawn(mut command: Command, log: &Path) -> anyhow::Result<Child> {
    let log = File::create(log)?;
    command.stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
    command.spawn().with_context(|| format!("cannot start {command:?}"))
}
