//! The program under test, built as it is now: once as it is shipped, and once so that faults can be
//! built in on purpose.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::cargo;

/// What to build with, for a binary that takes `--fault`.
pub const FAULTS: &[&str] = &["--features", "reflect-cli/faults"];

/// Builds the binary and says where it is. The mutant is put aside, so that both exist.
pub fn build(features: &[&str]) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--locked", "--message-format=json", "--bin", "reflect"]);
    // As in the justfile: where the whole workspace is built, one package alone would have its dependencies built anew.
    match std::env::var_os("REFLECT_WHOLE") {
        Some(whole) if !whole.is_empty() => cargo.arg("--workspace"),
        _ => cargo.args(["--package", "reflect-cli"]),
    };
    cargo.args(features);
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
