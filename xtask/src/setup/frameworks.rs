//! The parts `framework-…`: agent frameworks that the Python SDK has adapters for, each in its own environment.
//!
//! `just frameworks` runs real agents in them. Their packages are listed beside it, because frameworks exclude each
//! other's versions. The environments also have the dependencies of the SDK, which itself comes from the checkout.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python};
use crate::process;

/// A framework by the name of its list. The first package of the list is the framework itself.
macro_rules! framework {
    ($name:literal) => {
        Part {
            name: concat!("framework-", $name),
            source: include_str!(concat!("../../../sdks/python/checks/frameworks/packages/", $name, ".txt")),
            folder: concat!("frameworks/", $name),
            key_file: "bin/python",
            purpose: Purpose::Frameworks,
            remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
                     check `python3 -m pip --version`, then run `cargo xtask setup --frameworks` again",
            build: |folder| {
                build(
                    folder,
                    include_str!(concat!("../../../sdks/python/checks/frameworks/packages/", $name, ".txt")),
                )
            },
        }
    };
}

pub(super) const PARTS: [Part; 10] = [
    framework!("anthropic"),
    framework!("claude-agent-sdk"),
    framework!("crewai"),
    framework!("deepagents"),
    framework!("google-adk"),
    framework!("langgraph"),
    framework!("litellm"),
    framework!("openai"),
    framework!("openai-agents"),
    framework!("pydantic-ai"),
];

fn build(folder: &Path, list: &str) -> Result<String> {
    let packages: Vec<&str> = list.split_whitespace().collect();
    let first = packages.first().context("the list of packages is empty")?;
    let python = python::environment(folder, &packages)?;
    let question = "import platform, sys, importlib.metadata as m; \
                    name = sys.argv[1].split('==')[0]; \
                    print(name, m.version(name), 'on Python', platform.python_version())";
    process::output_of(Command::new(&python).args(["-c", question, first]))
}
