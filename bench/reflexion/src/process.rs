//! A loop in its own process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_sdk::ReflectClient;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::arguments::{Moment, Mutant};
use crate::looping::Report;
use crate::stage::Project;

/// Longer than any loop takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The arguments of a process, the same at each start.
#[derive(Debug, Clone)]
pub(crate) struct Looping<'a> {
    pub(crate) project: &'a Project,
    pub(crate) folder: PathBuf,
    pub(crate) task: &'a str,
    pub(crate) run_id: Option<&'a str>,
    pub(crate) mutant: Option<Mutant>,
}

impl Looping<'_> {
    pub(crate) fn client(&self) -> &ReflectClient {
        &self.project.client
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs it to its end.
    pub(crate) async fn finish(&self) -> anyhow::Result<Report> {
        let mut child = self.spawn(None)?;
        let line = first_line(&mut child).await?;
        let status = tokio::time::timeout(PATIENCE, child.wait()).await??;
        ensure!(status.success(), "a loop ended with {status}");
        serde_json::from_str(&line).with_context(|| format!("a loop said `{line}`"))
    }

    /// Runs it up to a point, and kills it there.
    pub(crate) async fn kill_at(&self, moment: Moment) -> anyhow::Result<()> {
        let mut child = self.spawn(Some(moment))?;
        let line = first_line(&mut child).await?;
        ensure!(line == "halted", "a loop was to stand still at {moment} and said `{line}`");
        child.kill().await?;
        Ok(())
    }

    fn spawn(&self, halt: Option<Moment>) -> anyhow::Result<Child> {
        std::fs::create_dir_all(&self.folder)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("loop").arg("--folder").arg(&self.folder).args(["--task", self.task]);
        command.args(self.run_id.map(|id| format!("--run-id={id}")));
        command.args(halt.map(|moment| format!("--halt={moment}")));
        command.args(self.mutant.map(|mutant| match mutant {
            Mutant::ForgetsCheckpoint => "--mutant=forgets-checkpoint",
            Mutant::ForgetsKey => "--mutant=forgets-key",
        }));
        command.env("REFLECT_BASE_URL", self.client().base_url());
        command.env("REFLECT_PROJECT_ID", self.client().project_id());
        command.env("REFLECT_API_KEY", &self.project.key);
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?)
    }
}

async fn first_line(child: &mut Child) -> anyhow::Result<String> {
    let output = child.stdout.take().context("a loop has an output")?;
    let mut lines = BufReader::new(output).lines();
    let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.context("a loop said nothing")??;
    line.context("a loop ended without a word")
}
