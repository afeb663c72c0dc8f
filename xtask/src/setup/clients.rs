//! The parts `client-…`: published versions of the Python client, unmodified, each in an environment of its own.
//!
//! The conformance run drives them against our server. They are run through `bin/python` only: other scripts
//! would carry the folder in which the environment was built, so they are removed.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose};
use crate::process;

/// The version that must work, whole.
pub(super) const PRESENT: Part = Part {
    name: "client-0.3.3",
    source: "reflect-sdk==0.3.3",
    folder: "clients/0.3.3",
    key_file: "bin/python",
    purpose: Purpose::Development,
    remedy: "python3 (3.10 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup` again",
    build: |folder| build(folder, PRESENT.source),
};

/// An earlier version that people still run.
pub(super) const EARLIER: Part = Part {
    name: "client-0.2.0",
    source: "reflect-sdk==0.2.0",
    folder: "clients/0.2.0",
    build: |folder| build(folder, EARLIER.source),
    ..PRESENT
};

fn build(folder: &Path, package: &str) -> Result<String> {
    // Without pip inside: the interpreter's own pip installs into it, which saves seconds and megabytes.
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--without-pip", "--clear"]).arg(folder);
    process::output_of(&mut venv)?;
    let python = folder.join("bin/python");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--python"]).arg(&python);
    pip.args(["install", "--quiet", "--root-user-action=ignore", "--no-compile", package]);
    process::output_of(&mut pip)?;
    remove_scripts(&folder.join("bin"))?;
    let question = "import platform, importlib.metadata as m, reflect_sdk; \
                    print('reflect-sdk', m.version('reflect-sdk'), 'on Python', platform.python_version())";
    process::output_of(Command::new(&python).args(["-c", question]))
}

fn remove_scripts(bin: &Path) -> Result<()> {
    for entry in fs::read_dir(bin).with_context(|| format!("cannot list {}", bin.display()))? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("python") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
