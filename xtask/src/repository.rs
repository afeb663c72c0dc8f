//! The root of the repository and its files.
//!
//! Determined at run time and not at compile time, so that two checkouts can share one build folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// The root of the workspace, from any folder inside it.
pub(crate) fn root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let is_root = |folder: &&Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "[workspace]")
    };
    let found = here.ancestors().find(is_root);
    found.map(Path::to_owned).with_context(|| format!("{} is not inside the workspace", here.display()))
}

/// All files that are committed or could be. Ignored files are excluded.
pub(crate) fn files(root: &Path) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    // The checkout may belong to another user, as in many containers.
    git.current_dir(root).args(["-c", "safe.directory=*", "ls-files", "-z"]);
    git.args(["--cached", "--others", "--exclude-standard"]);
    let listed = process::output_of(&mut git).context("cannot list the repository's files")?;
    let mut files: Vec<String> =
        listed.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}
