//! Starts and kills the real binary.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::process::{Child, Command};

use crate::http::Connection;

/// The start timeout.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server process.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address that it listens on.
    pub address: String,
}

/// How to start a server.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The binary.
    pub binary: PathBuf,
    /// Its database, which is already migrated.
    pub database_url: String,
    /// The address to listen on.
    pub port: u16,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// The log file.
    pub log: PathBuf,
}

impl Launch {
    /// Starts the server and waits until it is ready.
    pub async fn start(&self) -> anyhow::Result<Server> {
        self.start_with(&[]).await
    }

    /// The same with further environment variables.
    pub async fn start_with(&self, variables: &[(&str, &str)]) -> anyhow::Result<Server> {
        let mut server = self.spawn_with(variables)?;
        server.wait_until_ready(&self.log).await?;
        Ok(server)
    }

    /// Starts the server without waiting.
    pub fn spawn(&self) -> anyhow::Result<Server> {
        self.spawn_with(&[])
    }

    /// The same with further environment variables.
    pub fn spawn_with(&self, variables: &[(&str, &str)]) -> anyhow::Result<Server> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let child = Command::new(&self.binary)
            .args(["serve", "--log", "warn", "--listen"])
            .arg(format!("127.0.0.1:{}", self.port))
            .args(&self.arguments)
            .env("REFLECT_DATABASE_URL", &self.database_url)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", self.binary.display()))?;
        Ok(Server { child, address: format!("127.0.0.1:{}", self.port) })
    }

    /// Creates a key for the project with the binary.
    pub async fn key(&self, project: &str) -> anyhow::Result<String> {
        self.created_key(&["--project", project]).await
    }

    /// The same with these scopes.
    pub async fn key_with_scopes(&self, project: &str, scopes: &[&str]) -> anyhow::Result<String> {
        let scopes = scopes.iter().flat_map(|scope| ["--scope", *scope]);
        let owner: Vec<&str> = ["--project", project].into_iter().chain(scopes).collect();
        self.created_key(&owner).await
    }

    /// Creates a key for all projects with the binary.
    pub async fn master_key(&self) -> anyhow::Result<String> {
        self.created_key(&["--master"]).await
    }

    async fn created_key(&self, owner: &[&str]) -> anyhow::Result<String> {
        let output = Command::new(&self.binary)
            .args(["keys", "create", "--label", "bench"])
            .args(owner)
            .env("REFLECT_DATABASE_URL", &self.database_url)
            .output()
            .await?;
        if !output.status.success() {
            bail!("no key could be made: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

impl Server {
    async fn wait_until_ready(&mut self, log: &Path) -> anyhow::Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended with {status}; its log is {}", log.display());
            }
            if let Ok(mut connection) = Connection::open(&self.address).await
                && let Ok(answer) = connection.get("/ready", "").await
                && answer.status == 200
            {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the server was not ready after {} s; its log is {}", PATIENCE.as_secs(), log.display())
    }

    /// The process id. 0 if the process has ended.
    pub fn id(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Waits until the process exits.
    pub async fn ended(&mut self) -> anyhow::Result<ExitStatus> {
        Ok(self.child.wait().await?)
    }

    /// Kills the process with SIGKILL, like a crash.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().await?;
        Ok(())
    }
}
