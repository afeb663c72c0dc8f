//! Runs the examples of the Rust client as programs, and checks their exit codes and output.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::Context;
use reflect_bench_ingest::cargo::cargo;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::checks::Checks;
use crate::stage::{Project, Stage};

/// A small model on a busy machine is slow, and cargo may wait for another build.
const PATIENCE: Duration = Duration::from_secs(300);
const ROUNDS: usize = 4;

pub(crate) async fn play(stage: &Stage, folder: &Path) -> anyhow::Result<Checks> {
    let mut checks = Checks::default();

    let memory = run(folder, "long_term_memory", &stage.project("memory").await?, &[], None).await?;
    let said = String::from_utf8_lossy(&memory.stderr);
    let at_once = said.lines().any(|line| line.contains("November: Passed in trial 1"));
    let learned = said.lines().any(|line| line.contains("May: Passed in trial 2"));
    checks.holds("long_term_memory: the second process passes at once", at_once && learned);

    let report = stage.folder("experiment.json");
    let arguments = [&ROUNDS.to_string(), report.to_str().context("the folder is text")?];
    run(folder, "experiment", &stage.project("experiment").await?, &arguments, None).await?;
    let report: Value = serde_json::from_slice(&std::fs::read(report)?)?;
    let passes = |arm: usize| report["arms"][arm]["verdicts"].to_string().matches("pass").count();
    checks.holds("experiment: with memory more cases pass", passes(0) > passes(1));
    let broken = |arm: usize| report["arms"][arm]["broken"].as_array().map_or(0, Vec::len);
    checks.same("experiment: what breaks is counted", &(broken(0), broken(1)), &(ROUNDS, ROUNDS));

    let (url, mut model) = language_model().await?;
    let agent = run(folder, "agent_with_tools", &stage.project("agent").await?, &[], Some(&url)).await?;
    // The answer of such a small model does not matter. It must have been called, and the run must have ended.
    let end = String::from_utf8_lossy(&agent.stderr).lines().last().unwrap_or_default().to_owned();
    checks.holds(
        "agent_with_tools: comes to its end",
        end.contains(" calls and ") && !end.contains(" 0 calls"),
    );
    model.kill().await?;
    Ok(checks)
}

async fn run(
    folder: &Path,
    name: &str,
    project: &Project,
    arguments: &[&str],
    model: Option<&str>,
) -> anyhow::Result<Output> {
    let mut command = Command::new(folder.join(name));
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command.env("REFLECT_BASE_URL", project.client.base_url());
    command.env("REFLECT_PROJECT_ID", project.client.project_id());
    command.env("REFLECT_API_KEY", &project.key);
    command.envs(model.map(|url| ("MODEL_URL", url)));
    let output =
        tokio::time::timeout(PATIENCE, command.output()).await.with_context(|| format!("{name} hangs"))??;
    let said = String::from_utf8_lossy(&output.stderr);
    println!("--- {name}\n{}", said.trim_end());
    anyhow::ensure!(output.status.success(), "{name} ended with {}", output.status);
    Ok(output)
}

/// Runs the small model in llama.cpp's server, and returns its address.
async fn language_model() -> anyhow::Result<(String, Child)> {
    let mut cargo = Command::from(cargo());
    cargo.args([
        "run",
        "--quiet",
        "--locked",
        "--package",
        "xtask",
        "--",
        "llm",
        "--port",
        "0",
        "--answer-tokens",
        "150",
    ]);
    let mut child = cargo.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("it has an output")?).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await? {
            if let Some(url) = line.strip_prefix("ready: ") {
                return Ok(url.to_owned());
            }
        }
        anyhow::bail!("the language model did not start; `cargo xtask setup` installs it")
    };
    let url = tokio::time::timeout(PATIENCE, ready).await.context("the language model is not ready")??;
    Ok((url, child))
}
