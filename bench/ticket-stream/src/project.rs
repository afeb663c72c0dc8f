//! Paths of the project: the environment that `cargo xtask setup` installed, its known states, and the results.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use reflect_model_local::LocalModel;

/// The script that runs the environment.
pub(crate) fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("environment.py")
}

/// The folder of tau2-bench and its Python.
pub(crate) fn tau2() -> anyhow::Result<PathBuf> {
    cache(Some("tau2"))
}

/// The file of known states. Its name depends on the script and on the version of tau2-bench.
pub(crate) fn graph_file(tau2: &Path) -> anyhow::Result<PathBuf> {
    let version = tau2.file_name().context("the folder of tau2 has no name")?.to_string_lossy();
    let script = std::fs::read(script()).context("cannot read environment.py")?;
    let digest = blake3::hash(&script).to_hex();
    Ok(cache(None)?.join(format!("ticket-stream/graph-{version}-{}.json", &digest[..16])))
}

/// The embedding model, with one thread, so that vectors do not depend on the number of cores.
pub(crate) fn minilm() -> anyhow::Result<LocalModel> {
    Ok(LocalModel { threads: NonZeroUsize::MIN, ..reflect_case_stream::project::minilm()? })
}

/// The default folder for results, in the build folder.
pub fn default_out() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).context("the program lies in no target folder")?;
    Ok(target.join("ticket-stream"))
}

fn cache(part: Option<&str>) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--locked", "--package", "xtask", "--", "cache"]).args(part);
    let root = reflect_case_stream::project::root();
    let output = command.current_dir(root).output().context("cannot run cargo xtask cache")?;
    let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    ensure!(output.status.success(), "cargo xtask cache {}: {}", part.unwrap_or_default(), said.trim());
    Ok(PathBuf::from(said.trim()))
}
