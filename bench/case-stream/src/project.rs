//! Paths of the project: its root, its public data, its cache, its embedding model.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use reflect_model_local::LocalModel;

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The default folder of the public data.
pub fn default_data() -> PathBuf {
    root().join("../shared/data")
}

/// The default folder for results, in the build folder.
pub fn default_out() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).context("the program lies in no target folder")?;
    Ok(target.join("case-stream"))
}

/// The folder of cached vectors.
pub fn vector_cache() -> anyhow::Result<PathBuf> {
    Ok(cache(None)?.join("case-stream"))
}

/// The embedding model that `cargo xtask setup` installed.
pub fn minilm() -> anyhow::Result<LocalModel> {
    let folder = cache(Some("minilm"))?;
    let library = cache(Some("onnxruntime"))?.join("libonnxruntime.so");
    let mut model = LocalModel::new(folder, library);
    model.threads = std::thread::available_parallelism()?;
    Ok(model)
}

fn cache(part: Option<&str>) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--locked", "--package", "xtask", "--", "cache"]).args(part);
    let output = command.current_dir(root()).output().context("cannot run cargo xtask cache")?;
    let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    ensure!(output.status.success(), "cargo xtask cache {}: {}", part.unwrap_or_default(), said.trim());
    Ok(PathBuf::from(said.trim()))
}
