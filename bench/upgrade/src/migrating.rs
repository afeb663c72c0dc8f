//! One run of `reflect migrate` through a gate.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::process::Command;

use crate::gate::{Gate, Plan};
use crate::migrations::Migrations;
use crate::postgres::Postgres;
use crate::proxy::Proxy;

/// Longer than any migration of this run.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a migration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    Completed,
    /// It was killed at this place.
    Killed(String),
    /// It failed, with this message.
    Failed(String),
}

/// What a run of `reflect migrate` did.
#[derive(Debug, Clone)]
pub(crate) struct Migrated {
    pub(crate) ended: Ended,
    /// The server's processes that served it.
    pub(crate) processes: BTreeSet<u32>,
}

impl Migrated {
    /// An error unless it was completed.
    pub(crate) fn completed(self) -> anyhow::Result<Self> {
        anyhow::ensure!(self.ended == Ended::Completed, "the migration was not completed: {:?}", self.ended);
        Ok(self)
    }
}

/// Migrates a database.
pub(crate) async fn migrate(
    binary: &Path,
    (postgres, database): (&Postgres, &str),
    migrations: &Migrations,
    plan: Plan,
) -> anyhow::Result<Migrated> {
    let (gate, mut places) = Gate::new(migrations.clone(), plan);
    let gate = Arc::new(gate);
    let proxy = Proxy::start(postgres.port, Arc::clone(&gate)).await?;
    let url = format!("postgres://reflect@127.0.0.1:{}/{database}?sslmode=disable", proxy.port);
    let mut command = Command::new(binary);
    command.arg("migrate").env("REFLECT_DATABASE_URL", url).kill_on_drop(true);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let ended = tokio::select! {
        place = places.recv() => {
            child.kill().await?;
            Ended::Killed(place.context("the gate is gone")?)
        }
        output = tokio::time::timeout(PATIENCE, wait(&mut child)) => {
            let (is_success, said) = output.context("the migration does not end")??;
            if is_success { Ended::Completed } else { Ended::Failed(said) }
        }
    };
    Ok(Migrated { ended, processes: gate.processes() })
}

/// Waits for the end of the process. Returns whether it succeeded, and its error output.
async fn wait(child: &mut tokio::process::Child) -> anyhow::Result<(bool, String)> {
    let mut output = child.stderr.take().context("standard error is a pipe")?;
    let mut said = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut output, &mut said).await?;
    let status = child.wait().await?;
    Ok((status.success(), String::from_utf8_lossy(&said).trim().to_owned()))
}
