//! Runs the real binary, to its end or until it is killed.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use sqlx::Connection as _;
use tokio::process::Command;

use crate::place::Place;

/// How often the condition for a kill is checked.
const LOOK: Duration = Duration::from_millis(2);

/// The binary under test.
pub(crate) struct Program {
    pub(crate) binary: PathBuf,
}

impl Program {
    fn command(&self, url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env("REFLECT_DATABASE_URL", url).kill_on_drop(true);
        command
    }

    /// Runs a command to its end, with any exit code.
    pub(crate) async fn run(&self, url: &str, arguments: &[&str]) -> anyhow::Result<(Output, Duration)> {
        let began = Instant::now();
        let output = self.command(url, arguments).output().await;
        Ok((output.with_context(|| format!("cannot run {}", self.binary.display()))?, began.elapsed()))
    }

    /// Runs a command that must succeed. Returns its output and its duration.
    pub(crate) async fn succeed(&self, url: &str, arguments: &[&str]) -> anyhow::Result<(String, Duration)> {
        let (output, took) = self.run(url, arguments).await?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`reflect {}` failed: {said}", arguments.join(" "));
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), took))
    }

    /// Runs a command that must fail. Returns its error output.
    pub(crate) async fn fail(&self, url: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let (output, _) = self.run(url, arguments).await?;
        ensure!(!output.status.success(), "`reflect {}` went well and must not", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Kills a command with SIGKILL while it waits for a locked table. So it is always killed at the same point,
    /// regardless of its speed.
    pub(crate) async fn kill_at(&self, table: &str, place: &Place, arguments: &[&str]) -> anyhow::Result<()> {
        let held = place.hold(table).await?;
        let mut command = self.command(&place.url, arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        while !place.is_waited_for().await? {
            if child.try_wait()?.is_some() {
                let said = child.wait_with_output().await?.stderr;
                let said = String::from_utf8_lossy(&said);
                bail!("`reflect {}` ended before it was killed: {said}", arguments.join(" "));
            }
            tokio::time::sleep(LOOK).await;
        }
        child.kill().await?;
        Ok(held.close().await?)
    }
}

/// The number of parts in the journal of an export.
pub(crate) fn noted_parts(folder: &Path) -> usize {
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap_or_default();
    journal.lines().count().saturating_sub(1)
}
