//! The parts `client-…`: published versions of the Python client, unmodified, each in its own environment; and the
//! dependencies of our own client.
//!
//! The conformance run uses them through `bin/python` only.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::process;

/// The version that must work completely.
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

/// An earlier version that is still in use.
pub(super) const EARLIER: Part = Part {
    name: "client-0.2.0",
    source: "reflect-sdk==0.2.0",
    folder: "clients/0.2.0",
    build: |folder| build(folder, EARLIER.source),
    ..PRESENT
};

/// Only the dependencies of our client, so that a missing declaration is noticed. The client itself comes from the
/// checkout.
pub(super) const OWN: Part = Part {
    name: "client-own",
    source: "httpx2==2.16.0",
    folder: "clients/own",
    build: |folder| {
        let python = python::environment(folder, &[], &[OWN.source])?;
        let question = "import platform, httpx2; \
                        print('httpx2', httpx2.__version__, 'on Python', platform.python_version())";
        process::output_of(Command::new(&python).args(["-c", question]))
    },
    ..PRESENT
};

fn build(folder: &Path, package: &str) -> Result<String> {
    let python = python::environment(folder, &[], &[package])?;
    let question = "import platform, importlib.metadata as m, reflect_sdk; \
                    print('reflect-sdk', m.version('reflect-sdk'), 'on Python', platform.python_version())";
    process::output_of(Command::new(&python).args(["-c", question]))
}
