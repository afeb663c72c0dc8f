//! The program under test, built as it is now: once as it is shipped, and once so that faults can be
//! built in on purpose.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::cargo;

/// What else to build. Where all of the workspace is built, one package alone would have its dependencies built anew.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Scope {
    /// Build the program as a part of the whole workspace, as continuous integration has done before.
    #[arg(long)]
    pub whole: bool,
}

/// What to build with, for a binary that takes `--fault`.
pub const FAULTS: &[&str] = &["--features", "reflect-cli/faults"];

/// Builds the binary and says where it is. The mutant is put aside, so that both exist.
pub fn build(scope: Scope, features: &[&str]) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--locked", "--message-format=json", "--bin", "reflect"]);
    cargo.args(if scope.whole { &["--workspace"][..] } else { &["--package", "reflect-cli"] }).args(features);
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot run cargo build")?;
    ensure!(output.status.success(), "the server could not be built");
    let built = String::from_utf8_lossy(&output.stdout);
    let messages = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let binary = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    let binary = binary.context("cargo did not say where the binary is")?;
    let aside = binary.with_file_name(if features.is_empty() { "reflect-real" } else { "reflect-mutant" });
    std::fs::copy(&binary, &aside)?;
    Ok(aside)
}
